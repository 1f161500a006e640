/* Soft cores (Beutler et al., Chem. Phys. Lett. 222, 529, 1994; reference manual of GROMACS, "Free
   energy interactions", soft core): U = w V(r_s), where r_s^6 = r^6 + beta sigma^6 does not vanish
   with r. w and beta = alpha l^p depend on lambda alone, so that they are constants of a pass; V is
   any modified interaction of GROMACS (pair_modifier.h). */
#ifndef PAIR_SOFT_H
#define PAIR_SOFT_H

#include "pair/pair_lj.h"
#include "pair/pair_qq.h"

/* eps in kJ/mol, sigma and soft, that of the soft distance, in cutoffs; qq of scaled charges. */
static inline void pair_soft_set(struct pair_soft *c, double eps, double sigma, double soft,
                                 double qq)
{
  const double s6 = portable_power(sigma, 6);
  c->a12 = R(48 * eps * s6 * s6);
  c->b6 = R(24 * eps * s6);
  c->sigma2 = R(soft * soft);
  c->qq = R(qq);
}

/* The cube root of x^3 + y^3, of which one is positive and none negative, exactly x for y = 0. Of
   1 + t, t from 0 to 1, a parabola is right within 0.4 %, and Halley's iteration thrice as many
   digits each time. */
HD real pair_soft_root(real x, real y)
{
  const real large = x > y ? x : y, q = (x > y ? y : x) / large, t = q * q * q, a = R(1) + t;
  real root = real_fma(real_fma(R(-0.0734), t, R(1.0 / 3)), t, R(1));
  for (int k = 0; k < 2; k++) {
    const real cube = root * root * root;
    root *= (cube + R(2) * a) / (R(2) * cube + a);
  }
  return large * root;
}

/* The pair at its soft distance; outside the cutoff it stays there. */
HD struct pair_arg pair_soft_at(struct pair_coupling w, real sigma2, struct pair_arg p)
{
  struct pair_arg at = p;
  at.s = p.inside > R(0) ? pair_soft_root(p.s, w.beta_root * sigma2) : R(1);
  at.i2 = real_inverse(at.s);
  at.ir = real_rsqrt_known(at.s, at.i2);
  return at;
}

/* Adds a pair with energy and force t at its soft distance; returns its slope by lambda. */
HD real pair_soft_add(struct pair_coupling w, real sigma2, real s, struct pair_arg at,
                      struct pair_slope t, struct pair_slope *v)
{
  const real inverse = at.i2, ratio = s * inverse, sigma6 = sigma2 * sigma2 * sigma2;
  v->u = real_fma(w.weight, t.u, v->u);
  v->f = real_fma(w.weight * ratio * ratio, t.f, v->f);
  const real by_beta = R(-1.0 / 6) * (t.f * inverse * inverse) * sigma6;
  return real_fma(w.weight_slope, t.u, w.weight * (w.beta_slope * by_beta));
}

HD real pair_soft_lj_add(struct pair_constants k, struct pair_soft c, struct pair_arg p,
                         struct pair_slope *v)
{
  const struct pair_arg at = pair_soft_at(k.soft_lj, c.sigma2, p);
  const struct pair_lj lj = {0, 0, c.a12, c.b6};
  struct pair_slope t = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  pair_lj_modified_add(k, lj, at, &t);
  return pair_soft_add(k.soft_lj, c.sigma2, p.s, at, t, v);
}

HD real pair_soft_qq_add(struct pair_constants k, struct pair_soft c, struct pair_arg p,
                         struct pair_slope *v)
{
  const struct pair_arg at = pair_soft_at(k.soft_charge, c.sigma2, p);
  struct pair_slope t = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  pair_qq_modified_add(k, c.qq, at, &t);
  return pair_soft_add(k.soft_charge, c.sigma2, p.s, at, t, v);
}

#endif
