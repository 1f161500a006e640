/* Lennard-Jones with plain truncation. */
#ifndef PAIR_LJ_CUT_H
#define PAIR_LJ_CUT_H

#include "pair/pair_coef.h"
#include "pair/pair_sum.h"

HD void pair_lj_cut_add(struct pair_lj c, struct pair_arg p, struct pair_slope *v)
{
  real i2 = p.ir * p.ir, i3 = i2 * p.ir, q = i3 * i3, m = q * p.inside;
  v->u += real_fma(c.a, q, -c.b) * m;
  v->f += real_fma(c.a12, q, -c.b6) * (m * i2);
}

#endif
