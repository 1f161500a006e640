/* Angle t at the middle of three beads: U = k (t - t0)^2. */
#ifndef ANGLE_HARMONIC_H
#define ANGLE_HARMONIC_H

#include "base/angle.h"
#include "pair/angle_slope.h"

/* value: k, t0 in degrees. */
static inline void bonded_angle_harmonic_set(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(value[1] * (UNITS_PI / 180));
}

HD struct bonded_value bonded_angle_harmonic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct bonded_angle t = bonded_angle_of(s.arm[0], s.arm[1]);
  const real d = angle_of(t.sine, t.cosine) - c[1];
  v.pull[0] = vec3_scale(R(-2) * c[0] * d, t.da);
  v.pull[1] = vec3_scale(R(-2) * c[0] * d, t.db);
  v.u = c[0] * d * d;
  return v;
}

#endif
