/* Comparison of a LAMMPS data file with a force field: masses, charges, dipoles, coefficients and
   styles. */
#ifndef LAMMPS_CHECK_H
#define LAMMPS_CHECK_H

#include "base/error_list.h"
#include "import/lammps_file.h"
#include "model/forcefield.h"

/* Maps types of the file to types of the force field, both from 0; -1: none. */
struct lammps_map {
  int *of[LAMMPS_COUNTS];
};

/* Compares masses, charges, dipoles and pair coefficients of the types that atoms have; differences
   are errors. Warns of nominal masses and inertias with small deviations. of: map of atom types. */
void lammps_check_atoms(const struct lammps_file *f, const struct forcefield *ff, const int *of,
                        struct error_list *m);
/* Compares the coefficients of types of bonds or angles that are used. */
void lammps_check_bonded(const struct lammps_file *f, const struct forcefield *ff, int what,
                         const int *of, struct error_list *m);
/* [type of the file] number of atoms, bonds or angles of the type. Caller frees. */
int64_t *lammps_count_types(const struct lammps_file *f, int what);

#endif
