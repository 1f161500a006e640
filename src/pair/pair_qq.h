/* Charge with charge, qq = q_i q_j of scaled charges (pair_sum.h). */
#ifndef PAIR_QQ_H
#define PAIR_QQ_H

#include "pair/pair_modifier.h"

/* Shifted force: U = k (1 - r)^2 / r, k = 3 q_i q_j. */
HD void pair_qq_add(real qq, struct pair_arg p, struct pair_slope *v)
{
  real d = R(1) - p.s * p.ir, k = R(3) * qq;
  v->u += (k * p.ir) * (d * d);
  v->f = real_fma(k, p.i2 * p.ir - p.ir, v->f);
}

/* In the reaction field of a medium beyond the cutoff (Tironi et al., J. Chem. Phys. 102, 5451,
   1995): U = q_i q_j / epsilon_r (1 / r + k r^2 - c), k = (epsilon_rf - epsilon_r) / (2 epsilon_rf
   + epsilon_r), c = 1 + k. The force vanishes at the cutoff if epsilon_rf is infinite. */
HD void pair_qq_reaction_field_add(struct pair_constants k, struct pair_arg p, struct pair_slope *v)
{
  const real scale = k.charges * (p.qi * p.qj) * p.inside, curve = k.charge_field;
  v->u = real_fma(scale, real_fma(curve, p.s, p.ir) - (curve + R(1)), v->u);
  v->f = real_fma(scale, real_fma(p.i2, p.ir, R(-2) * curve), v->f);
}

/* With an end of its own: q_i q_j / epsilon_r times 1 / r with a force that is switched
   (pair_modifier.h), or in a reaction field, k r^2 and a constant. */
HD void pair_qq_modified_add(struct pair_constants k, real qq, struct pair_arg p,
                             struct pair_slope *v)
{
  const struct pair_modified w = pair_modified_at(k.charge_end, p);
  const real scale = k.charges * qq * w.within, curve = k.charge_field;
  const real u = real_fma(curve, p.s, p.ir) + pair_power_energy(k.charge, w.d);
  const real f = real_fma(p.i2, p.ir, R(-2) * curve);
  v->u = real_fma(scale, u, v->u);
  v->f = real_fma(scale, f + pair_power_force(k.charge, w.d, p.ir), v->f);
}

#endif
