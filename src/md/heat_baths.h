/* The heat baths of a run (model/heat_bath.h), found in the system. */
#ifndef HEAT_BATHS_H
#define HEAT_BATHS_H

#include "md/sim.h"

/* Reads the baths of the run file and sets their groups and degrees of freedom. s->dof and s->mass
   are set. Status 2 if a bead is in no group or in two, a cluster is not in one group as a whole,
   or a group has no degrees of freedom. Collective. */
void heat_baths_open(struct sim *s);
/* The degrees of freedom that the total momentum lacks: 3 if it is conserved; with Langevin noise
   and run.momentum_every, what the noise has not restored since the last removal. After
   heat_baths_open has set the baths. Local. */
double heat_baths_lacking(const struct sim *s);

#endif
