/* Harmonic bond: U = k (r - r0)^2. */
#ifndef BOND_HARMONIC_H
#define BOND_HARMONIC_H

#include "pair/bonded_shape.h"

/* value: k, r0. */
static inline void bonded_bond_harmonic_set(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(value[1]);
}

HD struct bonded_value bonded_bond_harmonic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 r = s.arm[0];
  const real len = real_sqrt(vec3_dot(r, r)), d = len - c[1];
  if (len > 0) v.pull[0] = vec3_scale(R(-2) * c[0] * d / len, r);
  v.u = c[0] * d * d;
  return v;
}

#endif
