/* The decomposition into slabs along one in-plane axis: chooses where they begin and end. Rank r
   has [bound[r], bound[r + 1]) in units of 2^-32 of the box edge. Bounds follow bead counts and
   never change the physics. */
#ifndef SLAB_H
#define SLAB_H

#include <stdint.h>

#include "backend/backend.h"
#include "mpi/comm/ranks.h"

struct slab {
  int axis;
  uint64_t *bound; /* [size + 1], the same on every rank */
  uint64_t width;  /* of the halo, in the same units */
};

/* Equal slabs. */
void slab_create(struct slab *s, const struct ranks *r, int axis);
void slab_destroy(struct slab *s);
/* The present slabs as backends and transports are told of them; it borrows the bounds, and holds
   until they or the width change. Peers are the ranks that share a face: none, one (of two ranks)
   or two. Local. */
struct domain slab_domain(const struct slab *s, const struct ranks *r);
/* The halo reaches reach nm in a box edge of length nm. Status 2, naming the largest possible
   number of ranks, where a slab of one rank would be thinner than that. Local. */
void slab_set_reach(struct slab *s, const struct ranks *r, double reach, double length);
/* The largest number of ranks for that reach. */
int slab_most_ranks(double reach, double length);
/* Bounds for equal numbers of beads, no slab thinner than the halo. Collective. */
void slab_balance(struct slab *s, const struct ranks *r, struct backend *b);
/* Moves bounds that have become closer than the halo apart. */
void slab_widen(struct slab *s, const struct ranks *r);

#endif
