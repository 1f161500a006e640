/* How the beads of groups move by constraints of their centres (pair/constraint_body.h), on host
   and device: where groups are weighted by mass, all beads of one move alike, so that the clusters
   in it keep their shape. */
#ifndef HOLD_BODY_H
#define HOLD_BODY_H

#include "dynamics/move_body.h"
#include "model/bias.h"

/* The sum over the groups of a bead of ease times what acts on them. ease: [n_centres][types]. */
HD void hold_sum(const double on[CENTRES_MOST][3], const double *ease, int types, uint32_t mask,
                 int type, double v[3])
{
  v[0] = v[1] = v[2] = 0;
  for (int k = 0; mask; k++, mask >>= 1)
    for (int d = 0; d < 3 && (mask & 1); d++)
      v[d] += ease[(int64_t)k * types + type] * on[k][d];
}

/* Moves a bead after the drift, with its momentum. The constraints have seen that it is not far. */
HD void hold_shift(struct body *b, double mass, const struct bias_state *now, const double *ease,
                   int types, uint32_t mask, int type, const double box[BOX])
{
  double move[3], push[3];
  hold_sum(now->push, ease, types, mask, type, move);
  hold_sum(now->kick, ease, types, mask, type, push);
  (void)body_shift(b, move, box);
  for (int d = 0; d < 3; d++)
    b->p[d] += mass * push[d];
}

/* Changes the momentum of a bead after the second half kick. */
HD void hold_kick(double p[3], double mass, const struct bias_state *now, const double *ease,
                  int types, uint32_t mask, int type)
{
  double push[3];
  hold_sum(now->kick, ease, types, mask, type, push);
  for (int d = 0; d < 3; d++)
    p[d] += mass * push[d];
}

#endif
