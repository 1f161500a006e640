/* A list build: domains are balanced, beads migrate to their owners, cells, halo and neighbour
   lists are made, all from build positions. Collective. */
#ifndef NEIGHBOR_H
#define NEIGHBOR_H

#include "md/sim.h"

/* keep: from the build positions of the state, as a restart does; else from the present ones. */
void neighbor_build(struct sim *s, int keep);
/* Pairs inside the cutoff that the list build stored in a state (neighbor_list, build positions)
   leaves out. Beads and lists of the backend are those of a new build then: load them again. */
int64_t neighbor_lists_lack(struct sim *s);

#endif
