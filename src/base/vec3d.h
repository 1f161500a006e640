/* Vectors of three components in double, on host and device. */
#ifndef VEC3D_H
#define VEC3D_H

#include "base/hd.h"

HD double vec3d_dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

HD void vec3d_cross(const double a[3], const double b[3], double out[3])
{
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out += factor v. */
HD void vec3d_add(double factor, const double v[3], double out[3])
{
  for (int k = 0; k < 3; k++)
    out[k] += factor * v[k];
}

HD int vec3d_same(const double a[3], const double b[3])
{
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

#endif
