/* Brings a state to the lengths of its constraints and the places of its virtual sites. */
#ifndef SETTLE_H
#define SETTLE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* lengths: 1 makes constraints right, positions and momenta; 0 leaves them. Sites come to their
   places in either case. For states that come from elsewhere: those of a run need it not. Status 3
   if constraints cannot be solved. Nothing without clusters. Collective. */
void settle_system(const struct ranks *r, struct system *s, int lengths);

#endif
