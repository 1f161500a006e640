/* Gay-Berne ellipsoids (J. Chem. Phys. 74, 3316, 1981) of unlike sizes, and spheres with
   ellipsoids, in the form of Cleaver, Care, Allen and Neal (Phys. Rev. E 54, 559, 1996). With A =
   u_i.r/r, B = u_j.r/r, c = u_i.u_j:

     U = 4 eps (R^-12 - R^-6), R = (r - s + s0) / s0
     s = s0 (1 - H)^-1/2,  H = (xa2 A^2 + xai2 B^2 - 2 x2 A B c) / (1 - x2 c^2)
     eps = eps0 (1 - x2 c^2)^(-nu/2) (1 - H')^mu,  H' as H with parameters of well depths

   less its value at the cutoff in the same orientation. Where R is small, the form has a branch
   that is not physical: strongly overlapping bodies would attract each other. Below GB_CONTACT,
   R^-12 - R^-6 goes on as its tangent there. */
#ifndef PAIR_GB_H
#define PAIR_GB_H

#include "base/portable.h"
#include "pair/pair_sum.h"

#define GB_CONTACT 0.5

/* What an ellipsoid is to Gay-Berne pairs. */
struct pair_gb_body {
  double sigma;              /* breadth, nm */
  double kappa, kappa_prime; /* length / breadth, depth side by side / end to end; 1: sphere */
  double unit;               /* 1 / length of the axis record, or 0 */
};

/* s0 in cutoffs, eps0 in kJ/mol. A sphere has a well as deep as the ellipsoid's side by side. */
static inline void pair_gb_set(struct pair_gb *c, const struct pair_gb_body *i,
                               const struct pair_gb_body *j, double s0, double eps0, int mu)
{
  double di = i->sigma * i->sigma, dj = j->sigma * j->sigma;
  double li = di * i->kappa * i->kappa, lj = dj * j->kappa * j->kappa;
  double ei = portable_pow(i->kappa_prime, -1.0 / mu), ej = portable_pow(j->kappa_prime, -1.0 / mu);
  c->xa2 = R((li - di) / (li + dj));
  c->xai2 = R((lj - dj) / (lj + di));
  c->x2 = R((li - di) * (lj - dj) / ((li + dj) * (lj + di)));
  /* Against a sphere 1 - H' is the ratio of depths, end to side, to the power 1 / mu. */
  const int sphere_i = i->unit == 0, sphere_j = j->unit == 0;
  c->ya2 = R(sphere_j ? 1 - ei : (1 - ei) / (1 + ej));
  c->yai2 = R(sphere_i ? 1 - ej : (1 - ej) / (1 + ei));
  c->y2 = R((1 - ei) * (1 - ej) / ((1 + ej) * (1 + ei)));
  c->is0 = R(1 / s0);
  c->eps = R(4 * eps0);
  c->unit_i = R(i->unit);
  c->unit_j = R(j->unit);
}

/* x^n, n from 1 to 4. */
HD real pair_gb_power(real x, int n)
{
  real a = n > 1 ? x : R(1), b = n > 2 ? x : R(1), c = n > 3 ? x : R(1);
  return (x * a) * (b * c);
}

/* R^-12 - R^-6 and its slope. */
struct pair_gb_well {
  real u, d;
};

HD struct pair_gb_well pair_gb_well_at(real distance)
{
  struct pair_gb_well w;
  real x = distance > R(GB_CONTACT) ? distance : R(GB_CONTACT);
  real i = R(1) / x, i2 = i * i, q = (i2 * i2) * i2;
  w.d = q * i * real_fma(R(-12), q, R(6));
  w.u = real_fma(w.d, distance - x, q * (q - R(1)));
  return w;
}

/* H of a set of parameters and its slopes. */
struct pair_gb_form {
  real h, a, b, c;
};

HD struct pair_gb_form pair_gb_form_of(real xa2, real xai2, real x2, real a, real b, real c)
{
  struct pair_gb_form o;
  real id = R(1) / real_fma(-(x2 * c), c, R(1)), cross = x2 * c;
  o.a = R(2) * id * real_fma(xa2, a, -(cross * b));
  o.b = R(2) * id * real_fma(xai2, b, -(cross * a));
  o.h = R(0.5) * real_fma(o.a, a, o.b * b);
  o.c = R(2) * id * (x2 * real_fma(o.h, c, -(a * b)));
  return o;
}

HD void pair_gb_add(struct pair_constants k, struct pair_gb g, struct pair_arg p,
                    struct pair_slope *v)
{
  const real a = (p.a * p.inside) * (g.unit_i * p.ir), b = (p.b * p.inside) * (g.unit_j * p.ir);
  const real c = p.c * (g.unit_i * g.unit_j), r = p.s * p.ir;
  const struct pair_gb_form x = pair_gb_form_of(g.xa2, g.xai2, g.x2, a, b, c),
                            y = pair_gb_form_of(g.ya2, g.yai2, g.y2, a, b, c);
  const real root = real_rsqrt(R(1) - x.h), left = R(1) - y.h;
  const real id = R(1) / real_fma(-(g.x2 * c), c, R(1)), ileft = R(1) / left;
  const real eps =
      g.eps * pair_gb_power(left, k.gb_mu) * pair_gb_power(real_sqrt(id), k.gb_nu) * p.inside;
  const struct pair_gb_well here = pair_gb_well_at(real_fma(r, g.is0, R(1) - root)),
                            edge = pair_gb_well_at(real_fma(R(1), g.is0, R(1) - root));
  /* Slopes of U in H, H' and, from the prefactor of eps, c. */
  const real u = eps * (here.u - edge.u);
  const real by_h = R(-0.5) * (root * root * root) * eps * (here.d - edge.d);
  const real by_y = -R(k.gb_mu) * u * ileft;
  const real ua = real_fma(by_h, x.a, by_y * y.a), ub = real_fma(by_h, x.b, by_y * y.b);
  const real uc = real_fma(by_h, x.c, real_fma(by_y, y.c, u * (R(k.gb_nu) * (g.x2 * c) * id)));
  v->u += u;
  v->f += p.ir * (p.ir * real_fma(ua, a, ub * b) - eps * here.d * g.is0);
  v->a = real_fma(g.unit_i * p.ir, ua, v->a);
  v->b = real_fma(g.unit_j * p.ir, ub, v->b);
  v->c = real_fma(g.unit_i * g.unit_j, uc, v->c);
}

#endif
