/* Bead types that bonds and angles join, in a LAMMPS data file and in the molecules of a force
   field, and matching of types by them. */
#ifndef LAMMPS_PATTERN_H
#define LAMMPS_PATTERN_H

#include "import/lammps_file.h"
#include "model/forcefield.h"

/* A bonded type between beads of these types; each combination is listed once. */
struct lammps_use {
  int type;
  int bead[3];
};

struct lammps_uses {
  int64_t n;
  struct lammps_use *use;
};

/* Patterns in the molecules of a force field. what: LAMMPS_BONDS or LAMMPS_ANGLES. Types from 0. */
struct lammps_uses lammps_uses_expected(const struct forcefield *ff, int what);
/* Patterns in a file. Types from 0. */
struct lammps_uses lammps_uses_found(const struct lammps_file *f, int what);
void lammps_uses_free(struct lammps_uses *u);
/* Does a bonded type of the force field join beads of these types, in the force field's
   numbering? */
int lammps_uses_fit(const struct lammps_uses *expected, const struct forcefield *ff, int what,
                    int type, const int bead[3]);

/* may[t * n + b]: can type t of the file be type b of the n types of the force field? Removes a
   type that is the only choice of one type from the choices of the others, until nothing
   changes. */
void lammps_resolve_choices(char *may, int64_t n_file, int n);
/* The only choice of a type; -1: none; -2: several. */
int lammps_choice(const char *may, int64_t t, int n);

#endif
