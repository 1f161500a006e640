/* Moves the beads of a state to the lengths of its constraints, and its virtual sites to the
   positions that their parents give them. */
#ifndef ENFORCE_H
#define ENFORCE_H

#include "backend/clusters.h"
#include "model/system.h"
#include "molecules/whole_block.h"
#include "mpi/comm/ranks.h"

/* What is corrected: virtual sites alone; also momenta, so that they change no length; also
   positions, to the lengths of constraints. */
enum enforce { ENFORCE_SITES, ENFORCE_MOMENTA, ENFORCE_LENGTHS };

/* For states that no run has written: those of a run fulfil their constraints. Status 3 if
   constraints cannot be solved, 2 if they connect a molecule with its own image across the box.
   Nothing without clusters. Collective. */
void enforce_system(const struct ranks *r, struct system *s, enum enforce what);
/* The clusters of the block of this rank, whose molecules *w has whole; NULL: the system has none,
   and *w is not set. The caller closes *w and destroys them. Collective. */
struct clusters *enforce_clusters_find(const struct ranks *r, const struct system *s,
                                       struct whole_block *w);

#endif
