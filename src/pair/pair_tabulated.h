/* Tabulated pairs: cubic pieces of equal width (pieces.h), whose slope is the force. Beyond its end
   a table is 0, also where the cutoff of the pass is larger. */
#ifndef PAIR_TABULATED_H
#define PAIR_TABULATED_H

#include "pair/pair_sum.h"
#include "pair/pieces.h"

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
  const real x = (p.s * p.ir - c.start) * c.inverse_step;
  const int within = p.inside > R(0) && !(x >= c.pieces);
  const struct piece_value at = pieces_at(k.piece, c.first, c.pieces, x, within);
  const real slope = at.slope * c.inverse_step;
  v->u += within ? at.u : R(0);
  v->f += within ? -slope * p.ir : R(0);
}

#endif
