/* Lennard-Jones, U = A r^-12 - B r^-6, with its truncation named. The constants that make a shifted
   form vanish at the cutoff are formed in working precision from the same numbers as the form
   itself, so that it is exactly 0 at s = 1.

   lj_cut: plain truncation. lj_force_shift: linear, U - U(1) - (r - 1) U'(1).
   lj_stoddard_ford: quadratic, U + c2 (s - 1) - U(1) (Stoddard and Ford, Phys. Rev. A 8, 1504,
   1973; the form of ELBA). */
#ifndef PAIR_LJ_H
#define PAIR_LJ_H

#include "pair/pair_sum.h"

struct pair_lj {
  real a, b;    /* A, B */
  real a12, b6; /* 12 A, 6 B: of forces */
};

/* eps in kJ/mol, sigma in cutoffs. */
static inline void pair_lj_set(struct pair_lj *c, double eps, double sigma)
{
  double s6 = pow(sigma, 6);
  c->a = R(4 * eps * s6 * s6);
  c->b = R(4 * eps * s6);
  c->a12 = R(48 * eps * s6 * s6);
  c->b6 = R(24 * eps * s6);
}

HD void pair_lj_cut_add(struct pair_lj c, struct pair_arg p, struct pair_slope *v)
{
  real i2 = p.ir * p.ir, i3 = i2 * p.ir, q = i3 * i3, m = q * p.inside;
  v->u += real_fma(c.a, q, -c.b) * m;
  v->f += real_fma(c.a12, q, -c.b6) * (m * i2);
}

HD void pair_lj_force_shift_add(struct pair_lj c, struct pair_arg p, struct pair_slope *v)
{
  real i2 = p.ir * p.ir, i3 = i2 * p.ir, q = i3 * i3;
  real d = c.a12 - c.b6, x = p.s * p.ir;
  v->u += real_fma(d, x - R(1), real_fma(real_fma(c.a, q, -c.b), q, -(c.a - c.b)));
  v->f += real_fma(real_fma(c.a12, q, -c.b6), q * i2, -(d * p.ir));
}

HD void pair_lj_stoddard_ford_add(struct pair_lj c, struct pair_arg p, struct pair_slope *v)
{
  real i2 = p.ir * p.ir, i3 = i2 * p.ir, q = i3 * i3, d = c.a12 - c.b6;
  v->u += real_fma(R(0.5) * d, p.s - R(1), real_fma(real_fma(c.a, q, -c.b), q, -(c.a - c.b)));
  v->f += real_fma(real_fma(c.a12, q, -c.b6), q * i2, -d);
}

#endif
