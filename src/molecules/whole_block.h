/* The beads of a rank's block of ids with the clusters that begin in it whole: beads of these that
   lie in the blocks of other ranks are copied from there. Host memory. */
#ifndef WHOLE_BLOCK_H
#define WHOLE_BLOCK_H

#include "model/system.h"
#include "molecules/remote.h"
#include "mpi/comm/ranks.h"

/* Written by molecules/whole_block.c. */
struct whole_block {
  int64_t n_block, n;   /* beads of the block, and of other blocks after them */
  int64_t *id;          /* [n] */
  struct beads beads;   /* [n]: the fields that migrate */
  int borrowed;         /* 1: the arrays are those of the system */
  struct remote remote; /* the beads of other blocks */
};

/* Collective. */
void whole_block_open(struct whole_block *w, const struct ranks *r, const struct system *s);
/* Leaves out the beads of the block whose clusters begin in other blocks. Local. */
void whole_block_release(struct whole_block *w, const struct system *s);
/* How far beads of the clusters that begin in the block are from the lead bead of theirs, at most,
   nm: in the state, of a state with a list build at that build; and in any state, which may be
   infinite. longest: of their constraints, nm. Before whole_block_release. Local. */
struct cluster_reach {
  double now, ever, longest;
};
struct cluster_reach whole_block_reach(const struct whole_block *w, const struct system *s);
/* Brings positions and momenta of all beads to the blocks of the system. Collective. */
void whole_block_return(const struct whole_block *w, const struct system *s);
void whole_block_close(struct whole_block *w);

#endif
