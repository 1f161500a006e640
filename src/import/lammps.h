/* Import of LAMMPS data files: a file (lammps_file.h) as a system of a force field. */
#ifndef LAMMPS_H
#define LAMMPS_H

#include "model/system.h"

/* What a user says about a file; NULL where nothing. */
struct lammps_options {
  const char *types, *bond_types, *angle_types; /* names of the force field, by type of the file */
  const char *ids;                              /* where a table of old and new ids is written */
};

/* The whole system, on this rank alone; takes the force field. Masses, inertias, charges and dipole
   moments are those of the types, positions and directions those of the file, with the corner of
   its box moved to 0. Without velocities the momenta are 0. Ids with gaps are closed up; where the
   beads of a molecule are not consecutive in the order of the force field, all are numbered anew,
   molecule by molecule. Any mistake: status 2, with file and line. */
struct system *lammps_import(const char *path, struct forcefield *ff,
                             const struct lammps_options *options);

#endif
