/* Charge with dipole, shifted force: U = q_i b g / r^3 for a charge i and a dipole j, and
   -q_j a g / r^3 for a dipole i and a charge j, g = 1 - 3 r^2 + 2 r^3. Both are summed here: a bead
   without charge or without dipole makes its part 0. */
#ifndef PAIR_QD_H
#define PAIR_QD_H

#include "pair/pair_sum.h"

HD void pair_qd_add(struct pair_arg p, struct pair_slope *v)
{
  real i3 = p.i2 * p.ir;
  real g3 = real_fma(R(-3), p.ir, i3 + R(2)); /* g / r^3 */
  real along = R(3) * (i3 * p.i2 - i3);
  real k = real_fma(p.qi, p.b, -(p.qj * p.a));
  v->u += g3 * k;
  v->f = real_fma(along, k, v->f);
  v->a = real_fma(-g3, p.qj, v->a);
  v->b = real_fma(g3, p.qi, v->b);
}

/* Of a pair with an ellipsoid (pair_shape_dipoles). */
HD void pair_qd_shape_add(struct pair_shape c, struct pair_arg p, struct pair_slope *v)
{
  struct pair_slope t = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  pair_qd_add(pair_shape_dipoles(c, p), &t);
  pair_shape_gather(c, t, v);
}

#endif
