/* Shifted-force electrostatics of pairs with an ellipsoid. The axis of an ellipsoid without a
   dipole has length 1 for Gay-Berne, so that these terms need to be told whose axis is a dipole. */
#ifndef PAIR_SHAPE_H
#define PAIR_SHAPE_H

#include "pair/pair_dd.h"
#include "pair/pair_qd.h"

struct pair_shape {
  real dipole_i, dipole_j; /* 1 where the axis of a bead is a dipole, else 0 */
};

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

HD void pair_qd_shape_add(struct pair_shape c, struct pair_arg p, struct pair_slope *v)
{
  struct pair_slope t = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  pair_qd_add(pair_shape_dipoles(c, p), &t);
  pair_shape_gather(c, t, v);
}

HD void pair_dd_shape_add(struct pair_shape c, struct pair_arg p, struct pair_slope *v)
{
  struct pair_slope t = {0, 0, 0, 0, 0, 0, 0, 0, 0};
  pair_dd_add(pair_shape_dipoles(c, p), &t);
  pair_shape_gather(c, t, v);
}

#endif
