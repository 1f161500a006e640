/* Dipole with dipole, S times U (pair_switch.h), with an optional reaction field (Barker and Watts,
   Mol. Phys. 26, 789, 1973; as Fennell and Gezelter, J. Chem. Phys. 120, 9175, 2004, for SSD
   water): U = c / r^3 - 3 a b / r^5 - k c. */
#ifndef PAIR_DD_SWITCH_H
#define PAIR_DD_SWITCH_H

#include "pair/pair_constants.h"
#include "pair/pair_sum.h"
#include "pair/pair_switch.h"

/* Axes carry sqrt(3), as in pair_dd.h. */
HD void pair_dd_switch_add(struct pair_constants k, struct pair_arg p, struct pair_slope *v)
{
  const struct pair_switch w =
      pair_switch_at(p.s * p.ir, p.ir, k.switch_from, R(1), k.switch_factor);
  real i2 = p.ir * p.ir, i3 = i2 * p.ir, i5 = i3 * i2, ab = (p.a * p.b) * i2;
  real s = w.s * k.dipoles, s5 = s * i5, third = R(1.0 / 3) * (i3 - k.field);
  real u = real_fma(third, p.c, -(i3 * ab));
  v->u = real_fma(s, u, v->u);
  v->f = real_fma(s5, real_fma(R(-5), ab, p.c), real_fma(w.d * k.dipoles, u, v->f));
  v->a = real_fma(-s5, p.b, v->a);
  v->b = real_fma(-s5, p.a, v->b);
  v->c = real_fma(s, third, v->c);
}

#endif
