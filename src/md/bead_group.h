/* Groups of beads (model/bead_group.h), found in a system. */
#ifndef BEAD_GROUP_FIND_H
#define BEAD_GROUP_FIND_H

#include "model/bead_group.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Sets the ranges of ids of a group: a single one if the group has all molecule types, else one for
   each unbroken sequence of ids of beads of its molecule types. Collective. */
void bead_group_find(struct bead_group *g, const struct ranks *r, const struct system *s);
/* The number of its beads, whose ranges have been found. Collective. */
int64_t bead_group_count(const struct bead_group *g, const struct ranks *r, const struct system *s);

#endif
