/* The slab of every rank along one in-plane axis: [bound[r], bound[r + 1]) in units of 2^-32 of the
   box edge. Bounds follow bead counts and never change the physics. */
#ifndef SLAB_H
#define SLAB_H

#include <stdint.h>

#include "backend/backend.h"
#include "mpi/transport/transport.h"

struct slab {
  int axis;
  uint64_t *bound; /* [size + 1], the same on every rank */
  uint64_t width;  /* of the halo, in the same units */
};

/* Equal slabs. */
void slab_create(struct slab *s, const struct ranks *r, int axis);
void slab_destroy(struct slab *s);
/* The halo reaches reach nm in a box edge of length nm. Status 2, naming the largest possible
   number of ranks, where a slab of one rank would be thinner than that. Local. */
void slab_set_reach(struct slab *s, const struct ranks *r, double reach, double length);
/* The largest number of ranks for that reach. */
int slab_most_ranks(double reach, double length);
/* Bounds for equal numbers of beads, no slab thinner than the halo. Collective. */
void slab_balance(struct slab *s, const struct ranks *r, struct backend *b);
/* Moves bounds that have become closer than the halo apart. */
void slab_widen(struct slab *s, const struct ranks *r);
/* Beads to the ranks that own them. Collective. */
void slab_migrate(const struct slab *s, struct transport *t, struct backend *b);

#endif
