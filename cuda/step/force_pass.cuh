/* Argument of force kernels, a pass over a neighbour list; how they load a bead, and the
   coefficients of a pair in the form that they read; in the precision of the unit that includes
   this. */
#ifndef FORCE_PASS_CUDA_CUH
#define FORCE_PASS_CUDA_CUH

#include "cuda/lists/bonded.h"
#include "cuda/lists/list.h"
#include "cuda/runtime/device.cuh"
#include "cuda/step/step.h"
#include "pair/force_body.h"

enum { FORCE_THREADS = 128 };

/* The coefficients of a pass that kernels without energies read: no others, and only of the types
   in the pass. Each block copies them to shared memory; the smaller they are, the more L1 cache
   remains. */
struct force_coefs {
  const real *coef;      /* [types][types][coef_reals(set)], device memory */
  int first_type, types; /* from the first to the last type that is in the pass and in the system */
};

/* The model of a run, in host memory; its arrays are device memory. */
struct cuda_model {
  struct model model;
  struct force_coefs force[PAIR_PASSES_MOST];
};

/* 1 if kernels without energies of a set of terms read a member of a family with this use. */
HD int coef_is_read(unsigned set, int use, int family)
{
  return use == PAIR_USE_force && (set & pair_family_terms(family)) != 0;
}

/* Reals per pair of types in struct force_coefs: even, since two are loaded at a time. */
HD int coef_reals(unsigned set)
{
  int n = 0;
#define COEF(family, member, use)                                                                  \
  if (coef_is_read(set, PAIR_USE_##use, PAIR_FAMILY_##family)) n++;
#include "pair/pair_list.h"
#undef COEF
  return (n + 1) / 2 * 2;
}

/* The terms of a loop over partners (enum rows_set) in a pass with the terms `set`. */
HD constexpr unsigned rows_terms(int rows, unsigned set)
{
#define ROWS(name, terms)                                                                          \
  if (rows == ROWS_##name) return terms;
#include "cuda/runtime/classes.h"
#undef ROWS
  return set;
}

struct force_pass {
  struct model model;       /* arrays are device memory */
  struct model_pass terms;  /* model.pass of this pass */
  struct force_coefs coefs; /* of this pass */
  struct force_view view;   /* without units, which view_now fills in */
  double inverse_cutoff;    /* 1/nm */
  double in_cutoffs;        /* 1/nm; inverse_cutoff / 2^32 */
  /* Bits of list classes; ALL_CLASSES: all beads of the pass. adds: an earlier pass has stored
     forces on their beads, to which this one adds. ends: this is the last pass of their beads,
     which adds their bonded terms. */
  unsigned adds, ends;
  int first, end; /* range in place */
  /* [part of a list][loop]: from this place on, the loop suffices for partners of the part. */
  int from[LIST_PARTS][ROWS_SETS];
  int lanes, most_rows;
  const struct cuda_place *place;
  const struct list_head *head;
  const int4 *index;
  const int *bonded_row; /* struct gpu_bonded; NULL: this pass adds no bonded terms */
  const struct bonded_entry *bonded;
  double *force, *torque; /* struct gpu_arrays; torque: NULL where no bead turns */
  struct sums *sums;
  const struct cuda_report *report; /* with the box */
  double sum_scale;                 /* 2^sum_bits */
};

#define ALL_CLASSES (~0u)

/* The arrays that pair kernels read. Of the units only `oblique` is set: units_now. */
static inline struct force_view view_of(const struct gpu *c)
{
  struct force_view v = {};
  v.record = c->arrays->record;
  for (int a = 0; a < PAIR_AXES_MOST; a++)
    v.axis[a] = (const struct axis_record *)c->arrays->axis[a];
  v.unit.oblique = box_is_oblique(c->reports->build_box);
  v.anchor = (const int32_t(*)[3])c->topology->anchors.place;
  return v;
}

/* Sets the units, but for `oblique`, to those of the present box, which the host may not know:
   couplings on the device change it. per_length: 1 / 2^32, over the unit of length, nm. */
DEVICE void units_now(struct box_units *u, const struct cuda_report *report, double per_length)
{
  const double *box = report->box.now.box;
  for (int k = 0; k < 3; k++)
    u->h[k] = R(box[k] * per_length);
  if (u->oblique) box_units_shear(u, box);
}

/* Loads from an array that does not change in the kernel; FRESH 1: that may change before
   chain_wait. */
template <int FRESH, typename Word> DEVICE Word global_load(const Word *from)
{
  return FRESH ? *from : __ldg(from);
}

template <int FRESH = 0> DEVICE struct bead_record record_load(const struct force_view &v, int j)
{
  int4 r = global_load<FRESH>((const int4 *)v.record + j);
  struct bead_record out = {{r.x, r.y, r.z}, r.w};
  return out;
}

template <int FRESH> DEVICE struct axis_record axis_load(const struct axis_record *axis, int j)
{
#ifdef REAL_DOUBLE
  const double2 *from = (const double2 *)(axis + j);
  double2 a = global_load<FRESH>(from), b = global_load<FRESH>(from + 1);
  struct axis_record out = {{a.x, a.y, b.x}, b.y};
#else
  float4 a = global_load<FRESH>((const float4 *)axis + j);
  struct axis_record out = {{a.x, a.y, a.z}, a.w};
#endif
  return out;
}

/* Bead j from its axis records. arrays: 0, 1 or 2 of them, a compile-time constant. */
template <int FRESH = 0>
DEVICE struct pair_bead bead_load(const struct force_view &v, int j, int arrays)
{
  struct axis_record first = {{0, 0, 0}, 0}, second = {{0, 0, 0}, 0};
  if (arrays) first = axis_load<FRESH>(v.axis[0], j);
  if (arrays > 1) second = axis_load<FRESH>(v.axis[1], j);
  return bead_of(&first, &second, arrays);
}

/* 1 if the list class of a bead type is among classes. */
DEVICE int has_class(const struct force_pass &pass, unsigned classes, int type)
{
  if (classes == 0 || classes == ALL_CLASSES) return classes != 0;
  return (int)(classes >> __ldg(&pass.model.list_class[type]) & 1u);
}

/* The arrays with the units of the present box, nm. OBLIQUE 0: it is known to be rectangular. */
template <int OBLIQUE> DEVICE struct force_view view_now(const struct force_pass &pass)
{
  struct force_view v = pass.view;
  if (!OBLIQUE) v.unit.oblique = 0;
  units_now(&v.unit, pass.report, 1 / TORUS_EDGE);
  return v;
}

/* Kernels without energies copy struct force_coefs to shared memory; those with energies read all
   coefficients from global memory. If force_coefs does not fit, kernels with energies are launched
   for the virial alone and for forces alone too, and their other sums are not used. */

/* Shared memory for the coefficients of a pass with the terms `set`, bytes per block. */
static inline int pass_bytes(unsigned set, const struct force_coefs &coefs)
{
  return coefs.types * coefs.types * coef_reals(set) * (int)sizeof(real);
}

/* A bead whose partners are shared by a few threads, its lanes. */
struct centre {
  int i;           /* -1: none */
  unsigned halves; /* cuda_place.halves: part 0 in the lower 16 bits */
  struct bead_record me;
  struct pair_bead bead;
  struct box_units unit;        /* in units of the cutoff */
  const struct pair_coef *coef; /* [types] of its type with each type; global memory */
  unsigned shared;              /* address in shared memory of the same in struct force_coefs */
};

static_assert(sizeof(struct cuda_place) == 8 && LIST_PARTS == 2, "places are loaded as int2");

/* Half rows of a part of the list of a bead. In double precision only whole rows, in their order:
   CPUs add partners in this order. */
DEVICE int centre_halves(const struct centre &c, int part)
{
  const int halves = (int)(part ? c.halves >> 16 : c.halves & 0xffff);
  return sizeof(real) == 8 ? 2 * list_rows(halves) : halves;
}

/* The position of a lane in the list of its bead: the address of its 4 indices in the first row,
   how far from there those of the next row are, and these indices, prefetched. */
struct row_walk {
  const int4 *first;
  int at;
  int4 next;
};

/* Which of the n lanes of its bead a thread is. */
struct lane {
  int k, n;
};

DEVICE struct lane lane_here(int n)
{
  return {(int)threadIdx.x % n, n};
}

/* Where a part is stored: from the first row on forwards, or from the last backwards. */
DEVICE int part_base(const struct force_pass &pass, int part, struct lane lane)
{
  return part ? (pass.most_rows - 1) * lane.n : 0;
}

/* The row of a part that is added first: the half row, if there is one, else the one at its base,
   which the others follow. */
DEVICE int part_first(const struct force_pass &pass, const struct centre &c, int part,
                      struct lane lane)
{
  const int halves = centre_halves(c, part), half = halves & 1 ? halves / 2 * lane.n : 0;
  return part_base(pass, part, lane) + (part ? -half : half);
}

/* Prefetches the first row. */
DEVICE struct row_walk walk_of(const struct force_pass &pass, const struct centre &c,
                               struct lane lane)
{
  struct row_walk w;
  w.first = pass.index + (int64_t)c.i * pass.most_rows * lane.n + lane.k;
  asm("" : "+l"(w.first)); /* the compiler would add its parts anew for each row */
  w.at = part_first(pass, c, centre_halves(c, 0) == 0, lane);
  w.next = make_int4(0, 0, 0, 0);
  if (c.halves != 0) w.next = __ldcs(w.first + w.at);
  return w;
}

/* Loads two reals at an address in shared memory. In PTX: for an array the compiler computes the
   address anew each time. */
DEVICE void shared_two(unsigned at, real *a, real *b)
{
#ifdef REAL_DOUBLE
  asm("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(*a), "=d"(*b) : "r"(at));
#else
  asm("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(*a), "=f"(*b) : "r"(at));
#endif
}

/* The coefficients of the bead with `type`. SET: the terms of the kernel, of which a loop may need
   fewer: loads of values that are not read are left out by the compiler. */
template <unsigned SET, int WITH_ENERGY>
DEVICE struct pair_coef coef_load(const struct centre &c, int type)
{
  if (WITH_ENERGY) return c.coef[type];
  struct pair_coef out;
  real held[PAIR_COEFS + 1];
  const int reals = coef_reals(SET);
  const unsigned at = c.shared + (unsigned)type * (unsigned)(reals * (int)sizeof(real));
#pragma unroll
  for (int k = 0; k < PAIR_COEFS; k += 2)
    if (k < reals) shared_two(at + (unsigned)(k * (int)sizeof(real)), &held[k], &held[k + 1]);
  int n = 0;
#define COEF(family, member, use)                                                                  \
  out.family.member = 0;                                                                           \
  if (coef_is_read(SET, PAIR_USE_##use, PAIR_FAMILY_##family)) out.family.member = held[n++];
#include "pair/pair_list.h"
#undef COEF
  return out;
}

#endif
