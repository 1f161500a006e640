/* Domain decomposition into slabs along one in-plane axis, with load balancing. Rank r owns
   [bound[r], bound[r + 1]) in units of 2^-32 of the box edge. Trajectories do not depend on the
   bounds. */
#ifndef SLAB_H
#define SLAB_H

#include <stdint.h>

#include "backend/backend.h"
#include "mpi/comm/ranks.h"

struct slab {
  int axis;
  uint64_t *bound;    /* [size + 1], the same on every rank */
  uint64_t width;     /* of the halo, in the same units */
  uint64_t thickness; /* the least of a slab */
};

/* Slabs of equal width. Local. */
void slab_create(struct slab *s, const struct ranks *r, int axis);
void slab_destroy(struct slab *s);
/* The present slabs as a struct domain. It borrows the bounds, and is valid until bounds or width
   change. Peers are the ranks on both sides: none, one (with two ranks) or two. Local. */
struct domain slab_domain(const struct slab *s, const struct ranks *r);
/* Sets the width of the halo to reach + extent (nm), for a box edge of length nm. reach: how far
   partners of a bead may be from it; extent: how far an owned bead may be from the slab, as beads
   of clusters are. Peers own every bead in the halo if slabs are as thick as reach + 2 extent.
   Status 2, with the largest possible number of ranks, if slabs would be thinner than that. Local.
 */
void slab_set_reach(struct slab *s, const struct ranks *r, double reach, double extent,
                    double length);
/* The largest number of ranks for slabs of that thickness and a length, nm. Local. */
int slab_most_ranks(double thickness, double length);
/* Sets the bounds for equal numbers of beads, with no slab thinner than its least thickness.
   Collective. */
void slab_balance(struct slab *s, const struct ranks *r, struct backend *b);
/* Moves bounds so that no slab is thinner than that. Local; the same on all ranks. */
void slab_widen(struct slab *s, const struct ranks *r);

#endif
