/* Polynomial of degree 4 of an angle t at the middle of three beads: U = sum of c_n (t - t0)^n, n
   from 0 to 4. */
#ifndef ANGLE_QUARTIC_H
#define ANGLE_QUARTIC_H

#include "base/angle.h"
#include "pair/angle_slope.h"

/* value: t0 in degrees, c0 to c4. */
static inline void bonded_angle_quartic_set(const double *value, real *c)
{
  c[0] = R(value[0] * (UNITS_PI / 180));
  for (int n = 0; n <= 4; n++)
    c[n + 1] = R(value[n + 1]);
}

HD struct bonded_value bonded_angle_quartic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_angle t = bonded_angle_of(s.arm[0], s.arm[1]);
  const real d = angle_of(t.sine, t.cosine) - c[0];
  real slope = 0; /* dU/dt */
  v.u = c[5];
  for (int n = 3; n >= 0; n--) {
    slope = real_fma(slope, d, v.u);
    v.u = real_fma(v.u, d, c[n + 1]);
  }
  v.pull[0] = vec3_scale(-slope, t.da);
  v.pull[1] = vec3_scale(-slope, t.db);
  return v;
}

#endif
