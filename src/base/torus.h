/* Positions in the periodic box: 32-bit integers in units of 2^-32 of the box vectors, which wrap
   by overflow. Their difference, read as signed, is that of the nearest images, and it is exact. */
#ifndef TORUS_H
#define TORUS_H

#include <math.h>
#include <stdint.h>

#include "base/box.h"
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

/* The box vectors in units of positions, nm. */
HD void torus_units(const double box[BOX], double h[BOX])
{
  for (int k = 0; k < BOX; k++)
    h[k] = box[k] / TORUS_EDGE;
}

/* The vector from b to the nearest image of a, nm. h: torus_units. */
HD void torus_vector(const int32_t a[3], const int32_t b[3], const double h[BOX], double d[3])
{
  double f[3];
  for (int k = 0; k < 3; k++)
    f[k] = (double)torus_difference(a[k], b[k]);
  box_vector(h, f, d);
}

/* The square of its length, nm2. */
HD double torus_distance2(const int32_t a[3], const int32_t b[3], const double h[BOX])
{
  double d[3];
  torus_vector(a, b, h, d);
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

/* Where the line along z through a point x meets the plane z = 0: fractions of the vectors a and b
   in units of 2^-32. z: that of the point, in turns of cz, which need not be in [0, 1): a membrane
   across the boundary has z without a jump. */
HD void torus_lateral(const double box[BOX], const uint32_t x[3], double z, uint32_t lateral[2])
{
  const double up[3] = {z * box[4], z * box[5], 0};
  double f[3];
  lateral[0] = x[0];
  lateral[1] = x[1];
  if (box[4] == 0 && box[5] == 0) return;
  box_fraction(box, up, f);
  for (int k = 0; k < 2; k++)
    lateral[k] += (uint32_t)(int64_t)floor(f[k] * TORUS_EDGE + 0.5);
}

#endif
