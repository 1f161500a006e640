/* A cluster at work, on host and device: its arrays, the threads that share them, and the vectors
   of its constraints. */
#ifndef CLUSTER_VIEW_H
#define CLUSTER_VIEW_H

#include "dynamics/site_body.h"

#define CLUSTER_PIVOT 1e-10 /* least pivot of independent constraints, over the diagonal */

/* Threads that work on one cluster: on the host one, on GPUs some of a warp, whose bits mask has,
   or those of a block. */
struct cluster_lanes {
  int lane, n;
  unsigned mask;
  int block;
};

/* A cluster at work. The arrays may be used by all lanes. */
struct cluster {
  const struct cluster_type *type;
  struct body *body;                    /* [n_beads] */
  const struct body_type **inertia;     /* [n_beads] */
  double *move;                         /* [n_beads][3] displacements, nm */
  double *moved2;                       /* [n_beads] squares of distances moved in the step, nm2 */
  double *vector, *matrix, *multiplier; /* [n_constraints] [3], [n_constraints], 1 */
  double box[3];                        /* nm */
  struct cluster_lanes lanes;
  int sparse; /* 1: the matrix has the pattern of the type */
};

/* The size of the arrays from `move` on, in doubles. While forces on sites are spread, these arrays
   hold the shares of the parents. */
HD int cluster_room(const struct cluster_type *t)
{
  const int n = t->n_constraints;
  const int matrix = t->pattern.n_levels > 0 ? n + 2 * t->pattern.n_entries : n * n;
  const int motion = 4 * t->n_beads + 4 * n + matrix;
  const int shares = 3 * t->n_parents;
  return shares > motion ? shares : motion;
}

HD void cluster_set_room(struct cluster *c, double *room)
{
  const int n = c->type->n_constraints;
  c->move = room;
  c->moved2 = c->move + 3 * c->type->n_beads;
  c->vector = c->moved2 + c->type->n_beads;
  c->multiplier = c->vector + 3 * n;
  c->matrix = c->multiplier + n;
}

/* Barrier: afterwards all lanes see what any lane has written before. */
HD void cluster_sync(const struct cluster *c)
{
#ifdef __CUDA_ARCH__
  if (c->lanes.block)
    __syncthreads();
  else
    __syncwarp(c->lanes.mask);
#else
  (void)c;
#endif
}

/* 1 if the flag of some lane is set. */
HD int cluster_any(const struct cluster *c, int flag)
{
#ifdef __CUDA_ARCH__
  return c->lanes.block ? __syncthreads_or(flag) : __any_sync(c->lanes.mask, flag);
#else
  (void)c;
  return flag;
#endif
}

/* The vector of constraint k now, nm. */
HD void cluster_vector(const struct cluster *c, int k, double v[3])
{
  const int *bead = c->type->constraint[k].bead;
  for (int d = 0; d < 3; d++)
    v[d] = body_difference(&c->body[bead[0]], &c->body[bead[1]], d, c->box[d]);
}

/* The vector of constraint k after the moves, nm; returns by how much its square is less than that
   of the length, nm2. */
HD double cluster_lack(const struct cluster *c, int k, double v[3])
{
  const struct cluster_constraint *to = &c->type->constraint[k];
  for (int d = 0; d < 3; d++)
    v[d] = c->vector[3 * k + d] + (c->move[3 * to->bead[0] + d] - c->move[3 * to->bead[1] + d]);
  return to->length * to->length - vec3d_dot(v, v);
}

#endif
