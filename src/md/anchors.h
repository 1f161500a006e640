/* The places of restrained beads (struct anchors). */
#ifndef ANCHORS_H
#define ANCHORS_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Collective. A system without anchors gets those of its restrained beads, where they are now: so
   they are the places of the first state of a run, and go on in its checkpoints. Status 2 if the
   anchors that it has are not those of its restrained beads. */
void anchors_complete(const struct ranks *r, struct system *s);
/* The restrained beads of a whole system get anchors where they are in `places`, another state of
   the same system. Local. */
void anchors_take(struct system *s, const struct system *places);

#endif
