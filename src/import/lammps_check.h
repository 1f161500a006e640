/* Comparison of a LAMMPS data file with a force field: masses, charges, dipoles, coefficients and
   styles. */
#ifndef LAMMPS_CHECK_H
#define LAMMPS_CHECK_H

#include "base/mistakes.h"
#include "import/lammps_file.h"
#include "model/forcefield.h"

/* The type of the force field by type of the file, both from 0; -1: none. */
struct lammps_map {
  int *of[LAMMPS_COUNTS];
  int named[LAMMPS_COUNTS]; /* 1: by an option or labels, not by number or by what they join */
};

/* A number of the file that the force field has, too: equal but for the rounding of files, 1e-4. */
int lammps_equal(double a, double b);
/* Is a mass that follows from diameter and density near enough to a nominal one? */
int lammps_mass_is_near(double mass, double nominal);
/* The moment of a dipole of the file, e nm. */
double lammps_moment(const struct lammps_atom *a);

/* Is a coefficient that of a type of the force field, in style (where it names one) and value? */
int lammps_is_coefficient(const struct forcefield *ff, int what, const struct lammps_coefficient *c,
                          int type);
/* The same of a pair of types. */
int lammps_is_pair(const struct forcefield *ff, const struct lammps_coefficient *c, int i, int j);

/* Masses, charges, dipoles and pair coefficients of the types that atoms have: what differs is a
   mistake. Warns of nominal masses and inertias that are somewhat off. */
void lammps_check_atoms(const struct lammps_file *f, const struct forcefield *ff, const int *of,
                        struct mistakes *m);
/* Coefficients of the types of bonds or angles that are used. */
void lammps_check_bonded(const struct lammps_file *f, const struct forcefield *ff, int what,
                         const int *of, struct mistakes *m);
/* By type of the file: how many atoms, bonds or angles have it. Caller frees. */
int64_t *lammps_count_types(const struct lammps_file *f, int what);

#endif
