/* A LAMMPS data file and a force field: their types, and comparison of masses, charges, dipoles,
   coefficients and styles. */
#ifndef LAMMPS_CHECK_H
#define LAMMPS_CHECK_H

#include "base/error_list.h"
#include "import/lammps_file.h"
#include "model/forcefield.h"

/* For each type of the file, from 0, its type of the force field, or -1; and how many atoms, bonds
   or angles have it. */
struct lammps_map {
  int *type[LAMMPS_COUNTS];
  int64_t *count[LAMMPS_COUNTS];
};

/* Compares masses, charges, dipoles and pair coefficients of the types that atoms have; differences
   are errors. Warns of nominal masses and inertias with small deviations. */
void lammps_check_atoms(const struct lammps_file *f, const struct forcefield *ff,
                        const struct lammps_map *map, struct error_list *m);
/* Compares the coefficients of types of bonds or angles that are used. */
void lammps_check_bonded(const struct lammps_file *f, const struct forcefield *ff, int what,
                         const struct lammps_map *map, struct error_list *m);
/* Adds an error for each bond or angle given twice, in either direction. one_way: [type] 1 if it is
   a dipole restraint from the first atom to the second, with a dummy third; NULL: none is.
   lammps_link.c. */
void lammps_find_duplicates(const struct lammps_file *f, int what, const char *one_way,
                            struct error_list *m);
/* Maps the types of atoms, bonds or angles (what) by names ("W,C,P"; "-" for a type that nothing
   has) if they are given, else by the labels of the file, and compares what the file says of these
   types with the force field. Types of bonds and angles after those of atoms. Every mistake is
   added to the errors, and so is a file without labels if names is NULL. lammps_types.c. */
void lammps_types_map(const struct lammps_file *f, const struct forcefield *ff, int what,
                      const char *names, struct lammps_map *map, struct error_list *m);
void lammps_map_free(struct lammps_map *map);

#endif
