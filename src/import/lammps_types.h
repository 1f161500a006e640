/* Maps the types of a LAMMPS data file to types of a force field. */
#ifndef LAMMPS_TYPES_H
#define LAMMPS_TYPES_H

#include "import/lammps_check.h"

/* Maps atom types: by names ("W,C,P"; "-" for a type that no atom has) if they are given, else by
   the labels of the file, else by number; then compares the properties of the atoms. If they do not
   fit, the errors end with names that would. names: NULL for none. */
void lammps_types_atoms(const struct lammps_file *f, const struct forcefield *ff, const char *names,
                        struct lammps_map *map, struct error_list *m);
/* Maps types of bonds or angles, after those of atoms: by names, else by labels that are names of
   the force field, else by number. If coefficients or joined beads contradict the numbers, it maps
   by these and reports that. */
void lammps_types_bonded(const struct lammps_file *f, const struct forcefield *ff, int what,
                         const char *names, struct lammps_map *map, struct error_list *m);
void lammps_map_free(struct lammps_map *map);

#endif
