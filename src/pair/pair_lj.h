/* Lennard-Jones, U = A r^-12 - B r^-6, with its truncations. The constants that make a shifted form
   vanish at the cutoff are formed in working precision from the same numbers as the form itself, so
   that it is exactly 0 at s = 1. */
#ifndef PAIR_LJ_H
#define PAIR_LJ_H

#include "pair/pair_modifier.h"

/* eps in kJ/mol, sigma in cutoffs. */
static inline void pair_lj_set(struct pair_lj *c, double eps, double sigma)
{
  double s6 = portable_power(sigma, 6);
  c->a = R(4 * eps * s6 * s6);
  c->b = R(4 * eps * s6);
  c->a12 = R(48 * eps * s6 * s6);
  c->b6 = R(24 * eps * s6);
}

/* r^-2 and r^-6. */
struct pair_lj_powers {
  real i2, q;
};

HD struct pair_lj_powers pair_lj_powers_of(struct pair_arg p)
{
  const struct pair_lj_powers w = {p.i2, (p.i2 * p.i2) * p.i2};
  return w;
}

/* U - U(1) */
HD real pair_lj_lifted(struct pair_lj c, real q)
{
  return real_fma(real_fma(c.a, q, -c.b), q, -(c.a - c.b));
}

/* Plain truncation. */
HD void pair_lj_cut_add(struct pair_lj c, struct pair_arg p, struct pair_slope *v)
{
  const struct pair_lj_powers w = pair_lj_powers_of(p);
  const real m = w.q * p.inside;
  v->u += real_fma(c.a, w.q, -c.b) * m;
  v->f += real_fma(c.a12, w.q, -c.b6) * (m * w.i2);
}

/* U - U(1), with the force of plain truncation (potential-shift of GROMACS, the form of Martini).
 */
HD void pair_lj_energy_shift_add(struct pair_lj c, struct pair_arg p, struct pair_slope *v)
{
  const struct pair_lj_powers w = pair_lj_powers_of(p);
  v->u += pair_lj_lifted(c, w.q);
  v->f += real_fma(c.a12, w.q, -c.b6) * (w.q * p.inside * w.i2);
}

/* Linear shift: U - U(1) - (r - 1) U'(1). */
HD void pair_lj_force_shift_add(struct pair_lj c, struct pair_arg p, struct pair_slope *v)
{
  const struct pair_lj_powers w = pair_lj_powers_of(p);
  const real d = c.a12 - c.b6, x = p.s * p.ir;
  v->u += real_fma(d, x - R(1), pair_lj_lifted(c, w.q));
  v->f += real_fma(real_fma(c.a12, w.q, -c.b6), w.q * w.i2, -(d * p.ir));
}

/* Quadratic shift: U + c2 (s - 1) - U(1) (Stoddard and Ford, Phys. Rev. A 8, 1504, 1973; the form
   of ELBA). */
HD void pair_lj_stoddard_ford_add(struct pair_lj c, struct pair_arg p, struct pair_slope *v)
{
  const struct pair_lj_powers w = pair_lj_powers_of(p);
  const real d = c.a12 - c.b6;
  v->u += real_fma(R(0.5) * d, p.s - R(1), pair_lj_lifted(c, w.q));
  v->f += real_fma(real_fma(c.a12, w.q, -c.b6), w.q * w.i2, -d);
}

/* S times U (pair_switch_at). */
HD void pair_lj_switch_add(struct pair_constants k, struct pair_lj c, struct pair_arg p,
                           struct pair_slope *v)
{
  const struct pair_switch s =
      pair_switch_at(p.s * p.ir, p.ir, k.switch_from, R(1), k.switch_factor);
  const struct pair_lj_powers w = pair_lj_powers_of(p);
  const real u =
      real_fma(R(1.0 / 12) * c.a12, w.q, R(-1.0 / 6) * c.b6) * w.q; /* read by the force too */
  v->u = real_fma(s.s, u, v->u);
  v->f = real_fma(s.s, real_fma(c.a12, w.q, -c.b6) * (w.q * w.i2), real_fma(s.d, u, v->f));
}

/* With any modifier of GROMACS (pair_modifier.h), and an end of its own. */
HD void pair_lj_modified_add(struct pair_constants k, struct pair_lj c, struct pair_arg p,
                             struct pair_slope *v)
{
  const struct pair_modified w = pair_modified_at(k.lj_end, p);
  const struct pair_power add = {real_fma(c.a12, k.lj12.cubic, c.b6 * k.lj6.cubic),
                                 real_fma(c.a12, k.lj12.quartic, c.b6 * k.lj6.quartic),
                                 real_fma(c.a12, k.lj12.constant, c.b6 * k.lj6.constant)};
  const struct pair_lj_powers r = pair_lj_powers_of(p);
  const real u =
      real_fma(R(1.0 / 12) * c.a12, r.q, R(-1.0 / 6) * c.b6) * r.q; /* read by the force too */
  real f = real_fma(c.a12, r.q, -c.b6) * (r.q * r.i2);
  v->u = real_fma(w.within, real_fma(w.s, u, pair_power_energy(add, w.d)), v->u);
  f = real_fma(w.s, f, real_fma(w.slope, u, pair_power_force(add, w.d, p.ir)));
  v->f = real_fma(w.within, f, v->f);
}

#endif
