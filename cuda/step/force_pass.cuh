/* What a pass over a neighbour list is given, and how it loads a bead and the coefficients of a
   pair; in the precision of the unit that includes this. */
#ifndef FORCE_PASS_CUDA_CUH
#define FORCE_PASS_CUDA_CUH

#include "cuda/lists/list.h"
#include "cuda/step/bead_load.cuh"
#include "cuda/step/model.cuh"
#include "cuda/step/step.h"

enum { FORCE_THREADS = 128 };

struct force_pass {
  struct model model;       /* arrays are device memory */
  struct model_pass terms;  /* of the model: this pass */
  struct force_coefs coefs; /* of this pass */
  struct force_view view;   /* without h, which view_now fills in */
  double inverse_cutoff;    /* 1 / its cutoff, 1/nm */
  double in_cutoffs;        /* 1 / 2^32 of its cutoffs */
  /* Bits of list classes; ALL_CLASSES: every bead here. adds: their beads have forces of an earlier
     pass, to which this pass adds. ends: this pass is the last of their beads; their bonded terms
     follow. */
  unsigned adds, ends;
  int first, end; /* places */
  /* [part of a list][loop]: from this place on, this loop suffices for partners of this part. */
  int from[LIST_PARTS][ROWS_SETS];
  int lanes, most_rows;
  const struct cuda_place *place;
  const struct list_head *head;
  const int4 *index;
  const int *bonded_row; /* NULL: no bonded terms at all, or for no bead in this pass */
  const struct bonded_entry *bonded;
  double *force, *torque; /* torque: NULL where no bead turns */
  struct sums *sums;
  const struct cuda_report *report; /* with the box */
  double sum_scale;
};

#define ALL_CLASSES (~0u)

/* 1 if the list class of a type is among classes. */
DEVICE int has_class(const struct force_pass &pass, unsigned classes, int type)
{
  if (classes == 0 || classes == ALL_CLASSES) return classes != 0;
  return (int)(classes >> __ldg(&pass.model.list_class[type]) & 1u);
}

/* Couplings on the device change the box, so that the host may not know it. */
DEVICE struct force_view view_now(const struct force_pass &pass)
{
  struct force_view v = pass.view;
  for (int k = 0; k < 3; k++)
    v.h[k] = R(pass.report->box.now.box[k] / TORUS_EDGE);
  return v;
}

/* Kernels without energies hold struct force_coefs in shared memory. The kernels with energies read
   all coefficients where they are. So they also stand in for kernels whose coefficients do not fit:
   for the virial alone, and for forces alone, with sums that nobody reads. */

/* Shared memory of a block, in bytes, of a pass with the terms set. */
static inline int pass_bytes(unsigned set, const struct force_coefs &coefs)
{
  return coefs.types * coefs.types * coef_reals(set) * (int)sizeof(real);
}

/* The bead that a few threads work for. */
struct centre {
  int i;         /* -1: none */
  unsigned rows; /* of struct cuda_place */
  struct bead_record me;
  struct pair_bead bead;
  real h[3];                    /* box / 2^32, in cutoffs */
  const struct pair_coef *coef; /* of its type with each */
  unsigned shared;              /* the same in shared memory: its address there */
};

static_assert(sizeof(struct cuda_place) == 8 && LIST_PARTS == 2, "places are loaded as int2");

/* Rows of a part of the list of a bead. */
DEVICE int centre_rows(const struct centre &c, int part)
{
  return (int)(part ? c.rows >> 16 : c.rows & 0xffff);
}

/* A load by its address: the compiler forms that of an array anew each time. */
DEVICE void shared_two(unsigned at, real *a, real *b)
{
#ifdef REAL_DOUBLE
  asm("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(*a), "=d"(*b) : "r"(at));
#else
  asm("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(*a), "=f"(*b) : "r"(at));
#endif
}

/* set: the terms of the kernel, of which a loop may need fewer: what is not read is not loaded. */
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
