/* Charge with charge in the reaction field of a medium beyond the cutoff (Tironi et al., J. Chem.
   Phys. 102, 5451, 1995): U = q_i q_j / epsilon_r (1 / r + k r^2 - c), k = (epsilon_rf - epsilon_r)
   / (2 epsilon_rf + epsilon_r), c = 1 + k. The force vanishes at the cutoff if epsilon_rf is
   infinite. */
#ifndef PAIR_QQ_REACTION_FIELD_H
#define PAIR_QQ_REACTION_FIELD_H

#include "pair/pair_constants.h"
#include "pair/pair_sum.h"

HD void pair_qq_reaction_field_add(struct pair_constants k, real qq, struct pair_arg p,
                                   struct pair_slope *v)
{
  const real scale = k.charges * qq * p.inside, curve = k.charge_field;
  v->u = real_fma(scale, real_fma(curve, p.s, p.ir) - (curve + R(1)), v->u);
  v->f = real_fma(scale, real_fma(p.ir * p.ir, p.ir, R(-2) * curve), v->f);
}

#endif
