/* Lennard-Jones, linear shift: U - U(1) - (r - 1) U'(1). */
#ifndef PAIR_LJ_FORCE_SHIFT_H
#define PAIR_LJ_FORCE_SHIFT_H

#include "pair/pair_coef.h"
#include "pair/pair_sum.h"

HD void pair_lj_force_shift_add(struct pair_lj c, struct pair_arg p, struct pair_slope *v)
{
  real i2 = p.ir * p.ir, i3 = i2 * p.ir, q = i3 * i3;
  real d = c.a12 - c.b6, x = p.s * p.ir;
  v->u += real_fma(d, x - R(1), real_fma(real_fma(c.a, q, -c.b), q, -(c.a - c.b)));
  v->f += real_fma(real_fma(c.a12, q, -c.b6), q * i2, -(d * p.ir));
}

#endif
