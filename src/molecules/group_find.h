/* The beads of groups (model/bead_group.h) in a system. */
#ifndef GROUP_FIND_H
#define GROUP_FIND_H

#include "base/error_list.h"
#include "model/bead_group.h"
#include "model/lipids.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Finds the beads of a group: the same for any number of ranks. What depends on the start (leaflet,
   region, index file) has the beads that the record of the run keeps (y->run); else those of this
   state, which the record keeps from then on, unless the file has mistakes. A group without a bead,
   leaflets of no flat bilayer, and regions and index files that do not fit are errors in m, with
   the place of the group. l: the lipids. Collective. */
void group_find(struct bead_group *g, const struct ranks *r, struct system *y,
                const struct lipids *l, struct error_list *m);

#endif
