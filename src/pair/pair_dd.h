/* Dipole with dipole, shifted force: U = h [c / r^3 - 3 a b / r^5], h = 1 - 4 r^3 + 3 r^4, of axes
   that carry sqrt(3): a third of that. */
#ifndef PAIR_DD_H
#define PAIR_DD_H

#include "pair/pair_sum.h"

/* Force along r: r^-5 [(1 - r^4) c - (a b / r^2) w], w = 5 - 8 r^3 + 3 r^4. */
HD void pair_dd_add(struct pair_arg p, struct pair_slope *v)
{
  real i2 = p.ir * p.ir, i3 = i2 * p.ir, i5 = i3 * i2, s2 = p.s * p.s, r3 = p.s * (p.s * p.ir);
  real h = real_fma(R(3), s2, real_fma(R(-4), r3, R(1)));
  real w = real_fma(R(3), s2, real_fma(R(-8), r3, R(5)));
  real ab = (p.a * p.b) * i2, k = real_fma(-p.s, p.s, R(1)), h5 = h * i5;
  v->u += (h * i3) * real_fma(R(1.0 / 3), p.c, -ab);
  v->f = real_fma(i5, real_fma(k, p.c, -(ab * w)), v->f);
  v->a = real_fma(-h5, p.b, v->a);
  v->b = real_fma(-h5, p.a, v->b);
  v->c = real_fma(R(1.0 / 3) * p.s, h5, v->c);
}

#endif
