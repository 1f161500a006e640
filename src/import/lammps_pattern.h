/* What bonds and angles join, in a LAMMPS data file and in the molecules of a force field, and
   which types of the one may be which of the other. */
#ifndef LAMMPS_PATTERN_H
#define LAMMPS_PATTERN_H

#include "import/lammps_file.h"
#include "model/forcefield.h"

/* A term of one type between beads of these types; each pattern once. */
struct lammps_use {
  int type;
  int bead[3];
};

struct lammps_uses {
  int64_t n;
  struct lammps_use *use;
};

/* what: LAMMPS_BONDS or LAMMPS_ANGLES. Of the molecules of a force field: types from 0. */
struct lammps_uses lammps_uses_expected(const struct forcefield *ff, int what);
/* Of a file: types from 0. */
struct lammps_uses lammps_uses_found(const struct lammps_file *f, int what);
void lammps_uses_free(struct lammps_uses *u);
/* Is a type of bonds or angles of the force field used between such beads, whose types are the
   force field's? */
int lammps_uses_fit(const struct lammps_uses *expected, const struct forcefield *ff, int what,
                    int type, const int bead[3]);

/* may[t * n + b]: may type t of the file be type b, of n, of the force field? Takes a type that has
   but one choice from the others that have more, until nothing changes. */
void lammps_settle(char *may, int64_t n_file, int n);
/* The only choice of a type, -1 where there is none, -2 where there are several. */
int lammps_choice(const char *may, int64_t t, int n);

#endif
