/* Tabulated pairs: cubic pieces of equal width (model/tabulated.h), whose slope is the force.
   Beyond its end a table is 0, also where the cutoff of the pass is larger. Below its first row
   there is no energy: it is not a number, so that no run goes on with it. */
#ifndef PAIR_TABULATED_H
#define PAIR_TABULATED_H

#include "pair/pair_sum.h"

/* first: the number of its first piece; start and step in cutoffs. */
static inline void pair_tabulated_set(struct pair_tabulated *c, int first, int pieces, double start,
                                      double step)
{
  c->first = R(first);
  c->pieces = R(pieces);
  c->start = R(start);
  c->inverse_step = R(1 / step);
}

HD void pair_tabulated_add(struct pair_constants k, struct pair_tabulated c, struct pair_arg p,
                           struct pair_slope *v)
{
  const real x = (p.s * p.ir - c.start) * c.inverse_step, last = c.pieces - R(1);
  const int within = p.inside > R(0) && !(x >= c.pieces);
  const real place = x < last ? x : last;
  const int n = within && place > R(0) ? (int)place : 0;
  const struct pair_piece *piece = k.piece + ((int)c.first + n);
  const real t = x - R(n), curved = x >= R(0) ? R(1) : R(0);
  const real c1 = piece->c[1], c2 = curved * piece->c[2], c3 = curved * piece->c[3];
  const real u = real_fma(real_fma(real_fma(c3, t, c2), t, c1), t, piece->c[0]);
  const real slope = real_fma(real_fma(R(3) * c3, t, R(2) * c2), t, c1) * c.inverse_step;
  v->u += within ? u : R(0);
  v->f += within ? -slope * p.ir : R(0);
}

#endif
