/* Import of LAMMPS data files: from a file (lammps_file.h) to a system with a force field. */
#ifndef LAMMPS_H
#define LAMMPS_H

#include "model/system.h"

/* Options of the user; members may be NULL. */
struct lammps_options {
  const char *types, *bond_types, *angle_types; /* names in the force field, by type of the file */
};

/* Reads a file and returns the whole system on this rank. Takes ownership of the force field.
   Masses, inertias, charges and dipole moments are those of the force field; positions and
   directions those of the file, with the lower corner of its box moved to 0. Without velocities the
   momenta are 0. Gaps in the ids are closed; if the beads of a molecule are not consecutive in the
   order of the force field, all beads are renumbered molecule by molecule. Errors end the program
   with STATUS_INPUT, file and line. ids: NULL, or receives the id in the file of each bead, an
   array that the caller frees. */
struct system *lammps_import(const char *path, struct forcefield *ff,
                             const struct lammps_options *options, int64_t **ids);

#endif
