/* What a pass over the lists is given, and how it loads a bead and the coefficients of a pair; in
   the precision of the unit that includes this. */
#ifndef FORCE_PASS_CUDA_CUH
#define FORCE_PASS_CUDA_CUH

#include "cuda/runtime/device.cuh"

#include "cuda/step/model.cuh"
#include "pair/force_body.h"

struct force_pass {
  struct model model;     /* arrays are device memory */
  struct force_view view; /* without h, which view_now fills in */
  double in_cutoffs;      /* 1 / 2^32 of them */
  int first, end;         /* places */
  int axis, point;        /* the first places of these classes */
  int most_rows;
  const int *place;
  const struct list_head *head;
  const int4 *index;
  const int *bonded_row; /* NULL: no bonded terms at all */
  const struct bonded_entry *bonded;
  double *force, *torque; /* torque: NULL where no bead turns */
  struct sums *sums;
  const struct cuda_report *report; /* with the box */
  double sum_scale;
};

/* Couplings on the device change the box, so that the host may not know it. */
static __device__ __forceinline__ struct force_view view_now(const struct force_pass &pass)
{
  struct force_view v = pass.view;
  for (int k = 0; k < 3; k++)
    v.h[k] = R(pass.report->box.now.box[k] / 4294967296.0);
  return v;
}

static __device__ __forceinline__ struct bead_record record_load(const struct force_view &v, int j)
{
  int4 r = __ldg((const int4 *)v.record + j);
  struct bead_record out = {{r.x, r.y, r.z}, r.w};
  return out;
}

static __device__ __forceinline__ struct axis_record axis_load(const struct force_view &v, int j)
{
#ifdef REAL_DOUBLE
  const double2 *from = (const double2 *)(v.axis + j);
  double2 a = __ldg(from), b = __ldg(from + 1);
  struct axis_record out = {{a.x, a.y, b.x}, b.y};
#else
  float4 a = __ldg((const float4 *)v.axis + j);
  struct axis_record out = {{a.x, a.y, a.z}, a.w};
#endif
  return out;
}

/* Coefficients of forces, of all pairs of types, in shared memory, as few bytes as they are: the
   rest is cache. The kernels with energies read all coefficients where they are, and serve for more
   types than a block has room for. */
enum { SHARED_BYTES = 48 * 1024 };
struct shared_coef {
  real a12, b6;
};

/* The bead that a few threads work for. */
struct centre {
  int i; /* -1: none */
  struct bead_record me;
  struct axis_record axis;
  real h[3];                    /* box / 2^32, in cutoffs */
  const struct pair_coef *coef; /* of its type with each */
  unsigned shared;              /* the same in shared memory: its address there */
};

/* A load by its address: the compiler forms that of an array anew each time. */
template <int WANT>
static __device__ __forceinline__ struct pair_coef coef_load(const struct centre &c, int type)
{
  if (WANT) return c.coef[type];
  struct pair_coef out;
  const unsigned at = c.shared + (unsigned)type * (unsigned)sizeof(struct shared_coef);
  out.lj.a = out.lj.b = 0;
#ifdef REAL_DOUBLE
  asm("ld.shared.v2.f64 {%0, %1}, [%2];" : "=d"(out.lj.a12), "=d"(out.lj.b6) : "r"(at));
#else
  asm("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(out.lj.a12), "=f"(out.lj.b6) : "r"(at));
#endif
  return out;
}

#endif
