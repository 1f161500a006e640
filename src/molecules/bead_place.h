/* Which bead of its molecule type each bead is, and the names that follow for files. */
#ifndef BEAD_PLACE_H
#define BEAD_PLACE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* How many beads of the molecule of the block's first bead are before the block. Collective. */
int64_t bead_place_before(const struct ranks *r, const struct system *s);
/* For each bead of the block its number in its molecule, from 0; -1: its molecule is of no known
   type. The beads of a molecule have consecutive ids. Caller frees. Collective. */
int *bead_places(const struct ranks *r, const struct system *s);
/* The name of bead k of the block, whose place is given: of its molecule, or of its type. Local. */
const char *bead_place_name(const struct system *s, int64_t k, int place);
/* What files of GROMACS call a bead: its name, and name and number of its residue; those of the
   force field, or of types and molecules. Local. */
struct bead_label {
  const char *residue, *name;
  long long number;
};
struct bead_label bead_place_label(const struct system *s, int64_t k, int place);
/* Its residue; NULL: the force field names none. Local. */
const struct ff_residue *bead_place_residue(const struct system *s, int64_t k, int place);

#endif
