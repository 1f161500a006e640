/* Contents of a LAMMPS data file: units real, atom_style hybrid angle dipole sphere, with columns
   id type x y z molecule charge mux muy muz diameter density [ix iy iz]. Consistency within the
   file is checked here; consistency with a force field in lammps.h. */
#ifndef LAMMPS_FILE_H
#define LAMMPS_FILE_H

#include <stdint.h>

struct lammps_atom {
  int64_t id;
  int line, velocity_line; /* 0: not given */
  int type;                /* from 1 */
  int image[3];
  double x[3];      /* A */
  double charge;    /* e */
  double dipole[3]; /* e A */
  double mass;      /* amu, from diameter and density */
  double inertia;   /* amu A2, of a solid sphere */
  double v[3];      /* A/fs */
  double omega[3];  /* rad/fs */
};

/* A bond or an angle. atom: indices into the array of atoms, from 0. */
struct lammps_entry {
  int line;
  int type; /* from 1 */
  int64_t atom[3];
};

enum { LAMMPS_STYLE = 32 };

/* A line of Masses, Pair Coeffs, PairIJ Coeffs, Bond Coeffs or Angle Coeffs. */
struct lammps_coefficient {
  int line;                 /* 0: not given */
  char style[LAMMPS_STYLE]; /* "": not named in the file */
  int type[2];              /* from 1; PairIJ Coeffs has two */
  int n;
  double value[4]; /* mass: amu; pair: epsilon (kcal/mol), sigma (A), cutoffs (A); bonded: K
                      (kcal/mol (/A2)), equilibrium value (A or degrees) */
};

struct lammps_label {
  int line; /* 0: not given */
  char text[64];
};

/* Bonds and angles are in the order of enum bonded_section. */
enum { LAMMPS_ATOMS, LAMMPS_BONDS, LAMMPS_ANGLES, LAMMPS_COUNTS };

/* The section of force fields that these are in, and the atoms that each names in a file. */
static inline int lammps_section(int what)
{
  return what - LAMMPS_BONDS;
}
static inline int lammps_atoms(int what)
{
  return what == LAMMPS_BONDS ? 2 : 3;
}

struct lammps_file {
  const char *path;               /* borrowed */
  int64_t n[LAMMPS_COUNTS];       /* atoms, bonds, angles */
  int64_t n_types[LAMMPS_COUNTS]; /* of each */
  double lo[3], hi[3], tilt[3];   /* A; tilt: xy, xz, yz */
  int has_velocities;
  struct lammps_atom *atom;                              /* by ascending id; ids may have gaps */
  struct lammps_entry *entry[LAMMPS_COUNTS];             /* bonds, angles */
  struct lammps_label *label[LAMMPS_COUNTS];             /* by type */
  struct lammps_coefficient *coefficient[LAMMPS_COUNTS]; /* by type; of atoms: Pair Coeffs */
  struct lammps_coefficient *mass;                       /* by type */
  int64_t n_pairs;
  struct lammps_coefficient *pair; /* PairIJ Coeffs */
};

/* Reads a file. All errors are reported together with file and line; then all ranks end with
   STATUS_INPUT. Local. Caller destroys the result. */
struct lammps_file *lammps_file_read(const char *path);
void lammps_file_destroy(struct lammps_file *f);

#endif
