/* Enforces constraints: brings a state to their lengths, and its virtual sites to their places. */
#ifndef ENFORCE_H
#define ENFORCE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* What is made right beside the places of sites: nothing; momenta, so that no length changes from
   where the beads are; the lengths of constraints and momenta. */
enum enforce { ENFORCE_SITES, ENFORCE_MOMENTA, ENFORCE_LENGTHS };

/* For states that come from elsewhere: those of a run need it not. Status 3 if constraints cannot
   be solved, 2 if they connect a molecule with its own image across the box. Nothing without
   clusters. Collective. */
void enforce_system(const struct ranks *r, struct system *s, enum enforce what);

#endif
