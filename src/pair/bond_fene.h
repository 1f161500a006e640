/* Finitely extensible bond (FENE): U = -k rmax^2 ln(1 - r^2 / rmax^2). Beyond rmax there is no
   energy: the force is NaN there, which ends the run. */
#ifndef BOND_FENE_H
#define BOND_FENE_H

#include <math.h>

#include "pair/bonded_shape.h"

/* value: k, rmax. */
static inline void bonded_bond_fene_set(const double *value, real *c)
{
  c[0] = R(value[0]);
  c[1] = R(1 / (value[1] * value[1]));
}

HD struct bonded_value bonded_bond_fene(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 r = s.arm[0];
  const real left = R(1) - vec3_dot(r, r) * c[1];
  v.pull[0] = vec3_scale(R(-2) * c[0] / (left > 0 ? left : R(NAN)), r);
  v.u = R(-log((double)left)) * c[0] / c[1];
  return v;
}

#endif
