/* Shifted-force electrostatics of pairs with an ellipsoid. The axis of an ellipsoid without a
   dipole has length 1 for Gay-Berne, so that these terms need to be told whose axis is a dipole. */
#ifndef PAIR_SHAPE_H
#define PAIR_SHAPE_H

#include "pair/pair_coef.h"
#include "pair/pair_sum.h"

static inline void pair_shape_set(struct pair_shape *c, int dipole_i, int dipole_j)
{
  c->dipole_i = R(dipole_i);
  c->dipole_j = R(dipole_j);
}

HD struct pair_arg pair_shape_dipoles(struct pair_shape c, struct pair_arg p)
{
  p.a *= c.dipole_i;
  p.b *= c.dipole_j;
  p.c *= c.dipole_i * c.dipole_j;
  return p;
}

HD void pair_shape_gather(struct pair_shape c, struct pair_slope t, struct pair_slope *v)
{
  v->u += t.u;
  v->f += t.f;
  v->a = real_fma(c.dipole_i, t.a, v->a);
  v->b = real_fma(c.dipole_j, t.b, v->b);
  v->c = real_fma(c.dipole_i * c.dipole_j, t.c, v->c);
}

#endif
