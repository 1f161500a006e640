/* Dipole with dipole, shifted force: U = h [c / r^3 - 3 a b / r^5], h = 1 - 4 r^3 + 3 r^4. */
#ifndef PAIR_DD_H
#define PAIR_DD_H

#include "pair_sum.h"

HD void pair_dd_add(struct pair_arg p, struct pair_slope *v)
{
  real i2 = p.ir * p.ir, i3 = i2 * p.ir, r3 = p.s * (p.s * p.ir);
  real h = real_fma(r3, real_fma(R(3), p.s * p.ir, R(-4)), R(1)) * i3; /* h / r^3 */
  real k = real_fma(-p.s, p.s, R(1)) * i3;
  real ab = (p.a * p.b) * i2, w = real_fma(R(-3), ab, p.c);
  real h3 = R(-3) * (h * i2);
  v->u += h * w;
  v->s += real_fma(k, w, R(-2) * (h * ab)) * (R(-1.5) * i2);
  v->a += h3 * p.b;
  v->b += h3 * p.a;
  v->c += h;
}

#endif
