/* Positions on the periodic box: 32-bit integers in units of 2^-32 of the box edge, which wrap by
   overflow. Their difference, read as signed, is that of the nearest images, and it is exact. */
#ifndef TORUS_H
#define TORUS_H

#include <stdint.h>

#include "base/hd.h"

#define TORUS_EDGE 4294967296.0 /* the box edge in these units */

HD int32_t torus_difference(int32_t a, int32_t b)
{
  return (int32_t)((uint32_t)a - (uint32_t)b);
}

/* The fraction of the edge, in [0, 1). */
HD double torus_fraction(int32_t x)
{
  return (double)(uint32_t)x / TORUS_EDGE;
}

/* The length of a unit along each axis, nm. box: edges, nm. */
HD void torus_units(const double box[3], double h[3])
{
  for (int k = 0; k < 3; k++)
    h[k] = box[k] / TORUS_EDGE;
}

/* The square of the distance of the nearest images, nm2. h: torus_units. */
HD double torus_distance2(const int32_t a[3], const int32_t b[3], const double h[3])
{
  double d2 = 0;
  for (int k = 0; k < 3; k++) {
    const double d = (double)torus_difference(a[k], b[k]) * h[k];
    d2 += d * d;
  }
  return d2;
}

#endif
