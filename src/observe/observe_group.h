/* Groups of beads that observables read: an option that is the name of a bead type, or of a group
   of the run file, or a selection (input/group_reader.h). */
#ifndef OBSERVE_GROUP_H
#define OBSERVE_GROUP_H

#include "observe/observable.h"

/* For open. Marks the beads of the share that are in the group at a node, [n] in memory of the
   observable, and sets *all to its beads on all ranks and its name: that of the type or group; of a
   selection it stays as it is. NULL: there is a mistake, which is in the tree. Collective. */
char *observe_group_read(struct observable *o, struct yaml_tree *t, int node,
                         char name[OBSERVE_NAME], int64_t *all);

#endif
