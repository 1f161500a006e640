/* The reference positions of position restraints (struct anchors). */
#ifndef ANCHORS_H
#define ANCHORS_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Gives a system without anchors one for each restrained bead, at its present position. A run is so
   restrained to its first state, and its checkpoints keep the anchors. Status 2 if the system has
   anchors that are not those of its restrained beads. Collective. */
void anchors_complete(const struct ranks *r, struct system *s);
/* Sets the anchors of the restrained beads of a whole system to their positions in `state`,
   another one of the same system. Local. */
void anchors_set(struct system *s, const struct system *state);

#endif
