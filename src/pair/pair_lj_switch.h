/* Lennard-Jones, S times U (pair_switch.h). */
#ifndef PAIR_LJ_SWITCH_H
#define PAIR_LJ_SWITCH_H

#include "pair/pair_coef.h"
#include "pair/pair_constants.h"
#include "pair/pair_sum.h"
#include "pair/pair_switch.h"

HD void pair_lj_switch_add(struct pair_constants k, struct pair_lj c, struct pair_arg p,
                           struct pair_slope *v)
{
  const struct pair_switch w =
      pair_switch_at(p.s * p.ir, p.ir, k.switch_from, R(1), k.switch_factor);
  real i2 = p.ir * p.ir, i3 = i2 * p.ir, q = i3 * i3;
  real u = real_fma(R(1.0 / 12) * c.a12, q, R(-1.0 / 6) * c.b6) * q; /* read by the force too */
  v->u = real_fma(w.s, u, v->u);
  v->f = real_fma(w.s, real_fma(c.a12, q, -c.b6) * (q * i2), real_fma(w.d, u, v->f));
}

#endif
