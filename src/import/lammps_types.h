/* Which types of a force field the types of a LAMMPS data file are. */
#ifndef LAMMPS_TYPES_H
#define LAMMPS_TYPES_H

#include "import/lammps_check.h"

/* Atoms: by names ("W,C,P"; "-" for a type that no atom has) where they are given, else by the
   labels of the file, else by number; and compares what the file says about them. Where that does
   not fit, the mistakes end with the names that would. names: NULL for none. */
void lammps_types_atoms(const struct lammps_file *f, const struct forcefield *ff, const char *names,
                        struct lammps_map *map, struct mistakes *m);
/* Bonds or angles, after the atoms: by names, else by labels that are names of the force field,
   else by number; where coefficients or the beads that are joined say that a number cannot be
   meant, by coefficients and joined beads, and says so. */
void lammps_types_bonded(const struct lammps_file *f, const struct forcefield *ff, int what,
                         const char *names, struct lammps_map *map, struct mistakes *m);
void lammps_map_free(struct lammps_map *map);

#endif
