/* Terms that a cubic switching function S takes to 0 at the cutoff: S = 1 below r_on and
   (1 - r)^2 (1 + 2 r - 3 r_on) / (1 - r_on)^3 above. Lennard-Jones, and dipole with dipole with an
   optional reaction field (Barker and Watts, Mol. Phys. 26, 789, 1973; as Fennell and Gezelter,
   J. Chem. Phys. 120, 9175, 2004, for SSD water): U = S [c / r^3 - 3 a b / r^5 - k c]. */
#ifndef PAIR_SWITCH_H
#define PAIR_SWITCH_H

#include "pair/pair_constants.h"
#include "pair/pair_lj.h"

struct pair_switch {
  real s, d; /* S, -S' / r */
};

/* The function between on and end of a distance r, factor = (end - on)^-3. */
HD struct pair_switch pair_switch_at(real r, real ir, real on, real end, real factor)
{
  struct pair_switch w;
  real x = r > on ? r : on;
  x = x < end ? x : end;
  real left = end - x;
  w.s = (left * left) * (real_fma(R(2), x, real_fma(R(-3), on, end)) * factor);
  w.d = R(6) * (left * (x - on)) * (factor * ir);
  return w;
}

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
