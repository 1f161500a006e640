/* Angle t at the middle of three beads: U = k (cos t - cos t0)^2. */
#ifndef ANGLE_COSINE_SQUARED_H
#define ANGLE_COSINE_SQUARED_H

#include <math.h>

#include "base/units.h"
#include "pair/bonded_shape.h"

/* value: k, t0 in degrees. */
static inline void bonded_angle_cosine_squared_set(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(cos(value[1] * (UNITS_PI / 180)));
}

/* The force on the end of arm a of an angle between arms a and b. slope: dU/d(cos t); ia, ib: the
   inverse lengths. */
HD struct vec3 bonded_angle_end(real slope, real cosine, struct vec3 a, struct vec3 b, real ia,
                                real ib)
{
  struct vec3 f = vec3_scale(-slope * ia * ib, b);
  return vec3_axpy(f, slope * cosine * ia * ia, a);
}

HD struct bonded_value bonded_angle_cosine_squared(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 a = s.arm[0], b = s.arm[1];
  const real ia = bonded_inverse(a), ib = bonded_inverse(b);
  const real cosine = vec3_dot(a, b) * ia * ib, d = cosine - c[1], slope = R(2) * c[0] * d;
  v.pull[0] = bonded_angle_end(slope, cosine, a, b, ia, ib);
  v.pull[1] = bonded_angle_end(slope, cosine, b, a, ib, ia);
  v.u = c[0] * d * d;
  return v;
}

#endif
