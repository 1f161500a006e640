/* Brings a state to the lengths of its constraints and the places of its virtual sites. */
#ifndef SETTLE_H
#define SETTLE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* What is made right beside the places of sites: nothing; momenta, so that no length changes from
   where the beads are; the lengths of constraints and momenta. */
enum settle { SETTLE_SITES, SETTLE_MOMENTA, SETTLE_LENGTHS };

/* For states that come from elsewhere: those of a run need it not. Status 3 if constraints cannot
   be solved. Nothing without clusters. Collective. */
void settle_system(const struct ranks *r, struct system *s, enum settle what);

#endif
