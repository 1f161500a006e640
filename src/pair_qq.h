/* Charge with charge, shifted force: U = k (1 - r)^2 / r, k = q_i q_j. */
#ifndef PAIR_QQ_H
#define PAIR_QQ_H

#include "pair_sum.h"

HD void pair_qq_add(real k, struct pair_arg p, struct pair_slope *v)
{
  real d = R(1) - p.s * p.ir, ki = k * p.ir;
  v->u += ki * (d * d);
  v->s = real_fma(R(-0.5) * ki, real_fma(p.ir, p.ir, R(-1)), v->s);
}

#endif
