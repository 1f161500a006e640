/* Charge with charge, shifted force: U = k (1 - r)^2 / r, k = 3 q_i q_j of scaled charges. */
#ifndef PAIR_QQ_H
#define PAIR_QQ_H

#include "pair/pair_sum.h"

HD void pair_qq_add(real qq, struct pair_arg p, struct pair_slope *v)
{
  real d = R(1) - p.s * p.ir, ki = R(3) * qq * p.ir;
  v->u += ki * (d * d);
  v->f = real_fma(ki, real_fma(p.ir, p.ir, R(-1)), v->f);
}

#endif
