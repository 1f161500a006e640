/* Loads beads of host arrays as struct body (move_body.h), and stores them. */
#ifndef BODY_BEADS_H
#define BODY_BEADS_H

#include "dynamics/move_body.h"
#include "model/system.h"

/* Bead i, with the heat bath 0. force and torque: [n][3]; NULL: 0. */
static inline struct body body_load(const struct beads *from, const double *force,
                                    const double *torque, int64_t i)
{
  struct body b;
  memset(&b, 0, sizeof b);
  memcpy(b.p, from->momentum + 3 * i, sizeof b.p);
  memcpy(b.j, from->angular_momentum + 3 * i, sizeof b.j);
  memcpy(b.q, from->orientation + 4 * i, sizeof b.q);
  memcpy(b.x, from->position + 3 * i, sizeof b.x);
  memcpy(b.image, from->image + 3 * i, sizeof b.image);
  memcpy(b.residual, from->residual + 3 * i, sizeof b.residual);
  if (force) memcpy(b.force, force + 3 * i, sizeof b.force);
  if (torque) memcpy(b.torque, torque + 3 * i, sizeof b.torque);
  return b;
}

/* Without the forces. */
static inline void body_store(const struct body *b, const struct beads *to, int64_t i)
{
  memcpy(to->momentum + 3 * i, b->p, sizeof b->p);
  memcpy(to->angular_momentum + 3 * i, b->j, sizeof b->j);
  memcpy(to->orientation + 4 * i, b->q, sizeof b->q);
  memcpy(to->position + 3 * i, b->x, sizeof b->x);
  memcpy(to->image + 3 * i, b->image, sizeof b->image);
  memcpy(to->residual + 3 * i, b->residual, sizeof b->residual);
}

#endif
