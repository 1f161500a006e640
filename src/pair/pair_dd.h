/* Dipole with dipole. Axes carry sqrt(3), which makes a third of the energies given here. */
#ifndef PAIR_DD_H
#define PAIR_DD_H

#include "pair/pair_sum.h"

/* Shifted force: U = h [c / r^3 - 3 a b / r^5], h = 1 - 4 r^3 + 3 r^4. Force along r: k c - (a b /
   r^2) w, k = (1 - r^4) / r^5, w = (5 - 8 r^3 + 3 r^4) / r^5. With powers of 1 / r all are exactly
   0 at the cutoff; h5 = h / r^5, w = 2 h5 + 3 k. */
HD void pair_dd_add(struct pair_arg p, struct pair_slope *v)
{
  real i5 = (p.i2 * p.ir) * p.i2, k = i5 - p.ir;
  real h5 = real_fma(R(-4), p.i2, real_fma(R(3), p.ir, i5)), w = real_fma(R(3), k, h5 + h5);
  real ab = (p.a * p.b) * p.i2;
  v->u += (h5 * p.s) * real_fma(R(1.0 / 3), p.c, -ab);
  v->f = real_fma(-ab, w, real_fma(k, p.c, v->f));
  v->a = real_fma(-h5, p.b, v->a);
  v->b = real_fma(-h5, p.a, v->b);
  v->c = real_fma(R(1.0 / 3) * p.s, h5, v->c);
}

/* Of a pair with an ellipsoid (pair_shape_dipoles). */
HD void pair_dd_shape_add(struct pair_shape c, struct pair_arg p, struct pair_slope *v)
{
  struct pair_slope t = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  pair_dd_add(pair_shape_dipoles(c, p), &t);
  pair_shape_gather(c, t, v);
}

/* S times U (pair_switch_at), with an optional reaction field (Barker and Watts, Mol. Phys. 26,
   789, 1973; as Fennell and Gezelter, J. Chem. Phys. 120, 9175, 2004, for SSD water): U = c / r^3 -
   3 a b / r^5 - k c. */
HD void pair_dd_switch_add(struct pair_constants k, struct pair_arg p, struct pair_slope *v)
{
  const struct pair_switch w =
      pair_switch_at(p.s * p.ir, p.ir, k.switch_from, R(1), k.switch_factor);
  real i3 = p.i2 * p.ir, i5 = i3 * p.i2, ab = (p.a * p.b) * p.i2;
  real s = w.s * k.dipoles, s5 = s * i5, third = R(1.0 / 3) * (i3 - k.field);
  real u = real_fma(third, p.c, -(i3 * ab));
  v->u = real_fma(s, u, v->u);
  v->f = real_fma(s5, real_fma(R(-5), ab, p.c), real_fma(w.d * k.dipoles, u, v->f));
  v->a = real_fma(-s5, p.b, v->a);
  v->b = real_fma(-s5, p.a, v->b);
  v->c = real_fma(s, third, v->c);
}

#endif
