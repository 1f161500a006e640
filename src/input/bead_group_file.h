/* Groups of beads in run files: {types: [...], molecules: [...], ids: [FIRST, LAST]}. */
#ifndef BEAD_GROUP_FILE_H
#define BEAD_GROUP_FILE_H

#include "input/yaml_tree.h"
#include "model/bead_group.h"
#include "model/forcefield.h"

/* Reads a group; node 0 is that of all beads. Its ranges of ids are not found yet. n_total: beads
   of the system. Local. */
void bead_group_read(struct yaml_tree *t, int node, const struct forcefield *ff, int64_t n_total,
                     struct bead_group *g);

#endif
