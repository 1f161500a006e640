/* Maps the types of a LAMMPS data file to types of a force field. */
#ifndef LAMMPS_TYPES_H
#define LAMMPS_TYPES_H

#include "import/lammps_check.h"

/* Maps the types of atoms, bonds or angles (what) by names ("W,C,P"; "-" for a type that nothing
   has) if they are given, else by the labels of the file, and compares what the file says of these
   types with the force field. Types of bonds and angles after those of atoms. Every mistake is
   added to the errors, and so is a file without labels if names is NULL. */
void lammps_types_map(const struct lammps_file *f, const struct forcefield *ff, int what,
                      const char *names, struct lammps_map *map, struct error_list *m);
void lammps_map_free(struct lammps_map *map);

#endif
