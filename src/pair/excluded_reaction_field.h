/* Two charges without pair forces, in the reaction field of the charges around them: U = q_i q_j /
   epsilon_r (k r^2 - c) within the cutoff, c = 1 + k, which is pair_qq_reaction_field.h without
   1 / r. */
#ifndef EXCLUDED_REACTION_FIELD_H
#define EXCLUDED_REACTION_FIELD_H

#include "pair/bonded_shape.h"
#include "pair/pair_sum.h"

/* value: epsilon_r, k, cutoff in nm, which is that of the scale of charges (pair_sum.h). */
static inline void bonded_excluded_reaction_field_set(const double *value, real *c)
{
  c[0] = R(pair_charge_field_factor(value[0]));
  c[1] = R(value[1]);
  c[2] = R(1 / (value[2] * value[2]));
}

HD struct bonded_value bonded_excluded_reaction_field(const real *c, struct bonded_shape s)
{
  struct bonded_value v = bonded_nothing();
  const struct vec3 r = s.arm[0];
  const real r2 = vec3_dot(r, r) * c[2], scale = c[0] * s.charges;
  if (!(r2 < R(1))) return v;
  v.pull[0] = vec3_scale(R(-2) * scale * c[1] * c[2], r);
  v.u = scale * real_fma(c[1], r2, -(c[1] + R(1)));
  return v;
}

#endif
