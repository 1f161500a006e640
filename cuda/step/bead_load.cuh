/* Loads of a bead by pair kernels; in the precision of the unit that includes this. */
#ifndef BEAD_LOAD_CUDA_CUH
#define BEAD_LOAD_CUDA_CUH

#include "cuda/lists/bonded.h"
#include "cuda/runtime/device.cuh"

#include "pair/force_body.h"

/* The arrays that pair kernels read; h, of the present box, is not set: view_now. */
static inline struct force_view view_of(const struct gpu *c)
{
  struct force_view v = {};
  v.record = c->arrays->record;
  for (int a = 0; a < PAIR_AXES_MOST; a++)
    v.axis[a] = (const struct axis_record *)c->arrays->axis[a];
  v.id = c->arrays->id;
  v.anchors = c->topology->anchors;
  return v;
}

DEVICE struct bead_record record_load(const struct force_view &v, int j)
{
  int4 r = __ldg((const int4 *)v.record + j);
  struct bead_record out = {{r.x, r.y, r.z}, r.w};
  return out;
}

DEVICE struct axis_record axis_load(const struct axis_record *axis, int j)
{
#ifdef REAL_DOUBLE
  const double2 *from = (const double2 *)(axis + j);
  double2 a = __ldg(from), b = __ldg(from + 1);
  struct axis_record out = {{a.x, a.y, b.x}, b.y};
#else
  float4 a = __ldg((const float4 *)axis + j);
  struct axis_record out = {{a.x, a.y, a.z}, a.w};
#endif
  return out;
}

/* Bead j from its axis records. arrays: 0, 1 or 2 of them, a compile-time constant. */
DEVICE struct pair_bead bead_load(const struct force_view &v, int j, int arrays)
{
  struct axis_record first = {{0, 0, 0}, 0}, second = {{0, 0, 0}, 0};
  if (arrays) first = axis_load(v.axis[0], j);
  if (arrays > 1) second = axis_load(v.axis[1], j);
  return bead_of(&first, &second, arrays);
}

#endif
