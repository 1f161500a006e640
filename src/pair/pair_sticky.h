/* The sticky term of soft sticky dipole water, which makes its hydrogen bonds tetrahedral (Liu and
   Ichiye, J. Phys. Chem. 100, 2723, 1996; Fennell and Gezelter, J. Chem. Phys. 120, 9175, 2004):

     U = (v0/2) s(r) (w_i + w_j) + (v0'/2) s'(r) (w'_i + w'_j)
     w = 2 (x^2 - y^2) z / r^3,  w' = (z/r - 0.6)^2 (z/r + 0.8)^2 - w0

   where (x, y, z) is the vector to the other molecule in the frame of the body: z is the axis of
   the dipole, the hydrogens lie in the plane of y and z. s and s' are cubic switching functions. */
#ifndef PAIR_STICKY_H
#define PAIR_STICKY_H

#include "base/portable.h"
#include "pair/pair_sum.h"

/* on[2], end[2]: of s and s', in cutoffs. */
static inline void pair_sticky_set(struct pair_sticky *c, const double v0[2], double w0,
                                   const double on[2], const double end[2], double unit_i,
                                   double unit_j)
{
  c->half = R(0.5 * v0[0]);
  c->half_prime = R(0.5 * v0[1]);
  c->w0 = R(w0);
  c->on = R(on[0]);
  c->end = R(end[0]);
  c->factor = R(portable_power(end[0] - on[0], -3));
  c->on_prime = R(on[1]);
  c->end_prime = R(end[1]);
  c->factor_prime = R(portable_power(end[1] - on[1], -3));
  c->unit_i = R(unit_i);
  c->unit_j = R(unit_j);
}

/* w and w' of one molecule, with their slopes; along: -2 times the slope in r^2 at constant x, y
   and z, without a factor of r^-2. */
struct pair_sticky_side {
  real w, x, y, z, along;
  real w_prime, z_prime, along_prime;
};

HD struct pair_sticky_side pair_sticky_side_of(real x, real y, real z, real w0, real ir)
{
  struct pair_sticky_side o;
  real i3 = (ir * ir) * ir, z2 = R(2) * z * i3, difference = real_fma(x, x, -(y * y));
  o.w = difference * z2;
  o.x = R(2) * x * z2;
  o.y = R(-2) * y * z2;
  o.z = R(2) * difference * i3;
  o.along = R(3) * o.w;
  real t = z * ir, f = t - R(0.6), g = t + R(0.8), fg = f * g, slope = R(2) * fg * (f + g);
  o.w_prime = real_fma(fg, fg, -w0);
  o.z_prime = slope * ir;
  o.along_prime = slope * t;
  return o;
}

/* r = r_i - r_j, so that i sees j at -r and j sees i at r. */
HD void pair_sticky_add(struct pair_sticky c, struct pair_arg p, struct pair_slope *v)
{
  const real r = p.s * p.ir, i2 = p.i2;
  struct pair_switch s = pair_switch_at(r, p.ir, c.on, c.end, c.factor);
  struct pair_switch t = pair_switch_at(r, p.ir, c.on_prime, c.end_prime, c.factor_prime);
  const struct pair_sticky_side i = pair_sticky_side_of(-p.xi, -p.yi * c.unit_i, -p.a * c.unit_i,
                                                        c.w0, p.ir),
                                j = pair_sticky_side_of(p.xj, p.yj * c.unit_j, p.b * c.unit_j, c.w0,
                                                        p.ir);
  const real w = i.w + j.w, w_prime = i.w_prime + j.w_prime;
  s.s *= c.half;
  s.d *= c.half;
  t.s *= c.half_prime;
  t.d *= c.half_prime;
  v->u += real_fma(s.s, w, t.s * w_prime);
  v->f += real_fma(s.d, w, t.d * w_prime);
  v->f += i2 * real_fma(s.s, i.along + j.along, t.s * (i.along_prime + j.along_prime));
  v->a -= c.unit_i * real_fma(s.s, i.z, t.s * i.z_prime);
  v->xi -= s.s * i.x;
  v->yi -= c.unit_i * (s.s * i.y);
  v->b += c.unit_j * real_fma(s.s, j.z, t.s * j.z_prime);
  v->xj += s.s * j.x;
  v->yj += c.unit_j * (s.s * j.y);
}

#endif
