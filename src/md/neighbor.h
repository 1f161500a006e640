/* A list build: balances the domains, migrates beads to their owners, and makes cells, halo and
   neighbour lists, all from the build positions. */
#ifndef NEIGHBOR_H
#define NEIGHBOR_H

#include "md/sim.h"

/* Builds new lists. keep 0: the present positions and box become the build positions and the build
   box. keep 1: the build positions and the build box of the state are used, which repeats the build
   of a restarted run. Status 2 if the box is too small or too large. Collective. */
void neighbor_build(struct sim *s, int keep);
/* The number of pairs of the present state inside the cutoff that are not in the lists of the list
   build stored in it. The backend has its beads with positions and build positions exchanged: lists
   of the present positions are built, and pairs counted that were outside of the stored ones. Load
   the beads again afterwards. Collective. */
int64_t neighbor_count_unlisted(struct sim *s);

#endif
