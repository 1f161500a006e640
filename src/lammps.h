/* Import of LAMMPS data files: a file (lammps_file.h) as a system of a force field. Types are those
   of the force field by number; so are the types of bonds and angles. */
#ifndef LAMMPS_H
#define LAMMPS_H

#include "system.h"

/* The whole system, on this rank alone; takes the force field. Masses, inertias, charges and dipole
   moments are those of the types, positions and directions those of the file, with the corner of
   its box moved to 0. Without velocities the momenta are 0. Any mistake: status 2, with file and
   line. */
struct system *lammps_import(const char *path, struct forcefield *ff);

#endif
