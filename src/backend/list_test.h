/* The test that decides which pairs neighbour lists hold, with the same bits on devices and, in
   double precision, on the host: in float, on build positions without their COARSE lowest bits, in
   units of 2^-32 of the first box edge. */
#ifndef LIST_TEST_H
#define LIST_TEST_H

#include <math.h>

#include "backend/grid.h"
#include "base/portable_fma.h"
#include "base/torus.h"

enum { COARSE = 7 };

/* Squares of the other edges over the first; of an oblique box the components of vectors off the
   diagonal over h[0], h[0], h[1]. */
struct list_metric {
  float ratio[2], shear[3];
};

static inline struct list_metric list_metric_of(const double box[BOX])
{
  struct list_metric m;
  for (int k = 0; k < 2; k++)
    m.ratio[k] = (float)(box[k + 1] / box[0] * (box[k + 1] / box[0]));
  for (int k = 0; k < 3; k++)
    m.shear[k] = (float)(box[3 + k] / box[k == 2]);
  return m;
}

/* The diagonal of what coordinates lose, nm. */
static inline double list_coarse(const double box[BOX])
{
  return box_diagonal(box) * (1 << COARSE) / TORUS_EDGE;
}

/* The square with which a test compares, of a list with this radius (nm). Rounding is on the safe
   side: tests keep every pair that exact arithmetic would. */
static inline float list_radius2(const double box[BOX], double radius)
{
  const double wide = radius * 1.000001 + list_coarse(box);
  return (float)(wide * wide * (TORUS_EDGE / box[0]) * (TORUS_EDGE / box[0]));
}

/* How far, nm, beads have to be looked for so that none is left out that a test up to a distance
   (nm) would keep: more than floats round, with cells half a box wide. */
static inline double list_reach(const double box[BOX], double distance)
{
  return distance * 1.00002 + 8 * list_coarse(box);
}

/* Most cells along z from that of a bead up to that of another so that one window covers both
   without overlapping itself. Negative: the window of one bead may have the height of the box; in
   double precision all columns are then in the order of cells from the bottom of the box. */
static inline int list_span(const struct grid *g, double reach)
{
  const float width = (float)(g->box[2] / g->n[2]);
  return g->n[2] - 2 * ((int)(reach / (double)width) + 2) - 2;
}

/* a b + c with one rounding. */
HD float list_fma(float a, float b, float c)
{
#if defined(__CUDA_ARCH__) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return fmaf(a, b, c);
#else
  const double p = (double)a * (double)b, s = p + (double)c; /* p is exact */
  return (float)portable_odd(s, portable_sum_lost(p, (double)c, s));
#endif
}

/* Squared distance as tests compare it, in units of h[0]^2. OBLIQUE, a constant: 1 for boxes that
   are not rectangular. */
HD float list_distance2(const float ratio[2], const float shear[3], int oblique, float dx, float dy,
                        float dz)
{
  if (oblique) {
    dx = list_fma(dz, shear[1], list_fma(dy, shear[0], dx));
    dy = list_fma(dz, shear[2], dy);
  }
  return list_fma(dz * dz, ratio[1], list_fma(dy * dy, ratio[0], dx * dx));
}

/* The difference of two coordinates that a test sees. */
HD float list_difference(int32_t a, int32_t b)
{
  const uint32_t kept = ~((1u << COARSE) - 1u);
  return (float)(int32_t)(((uint32_t)a & kept) - ((uint32_t)b & kept));
}

/* The same for beads at two points. */
HD float list_apart2(const struct list_metric *m, int oblique, const int32_t a[3],
                     const int32_t b[3])
{
  return list_distance2(m->ratio, m->shear, oblique, list_difference(a[0], b[0]),
                        list_difference(a[1], b[1]), list_difference(a[2], b[2]));
}

#endif
