/* Lennard-Jones, quadratic shift: U + c2 (s - 1) - U(1) (Stoddard and Ford, Phys. Rev. A 8, 1504,
   1973; the form of ELBA). */
#ifndef PAIR_LJ_STODDARD_FORD_H
#define PAIR_LJ_STODDARD_FORD_H

#include "pair/pair_coef.h"
#include "pair/pair_sum.h"

HD void pair_lj_stoddard_ford_add(struct pair_lj c, struct pair_arg p, struct pair_slope *v)
{
  real i2 = p.ir * p.ir, i3 = i2 * p.ir, q = i3 * i3, d = c.a12 - c.b6;
  v->u += real_fma(R(0.5) * d, p.s - R(1), real_fma(real_fma(c.a, q, -c.b), q, -(c.a - c.b)));
  v->f += real_fma(real_fma(c.a12, q, -c.b6), q * i2, -d);
}

#endif
