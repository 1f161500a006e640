/* Bond of fourth power, without a square root: U = k (r^2 - r0^2)^2. */
#ifndef BOND_QUARTIC_H
#define BOND_QUARTIC_H

#include "pair/bonded_shape.h"

/* value: k, r0. */
static inline void bonded_bond_quartic_set(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(value[1] * value[1]);
}

HD struct bonded_value bonded_bond_quartic(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 r = s.arm[0];
  const real d = vec3_dot(r, r) - c[1];
  v.pull[0] = vec3_scale(R(-4) * c[0] * d, r);
  v.u = c[0] * d * d;
  return v;
}

#endif
