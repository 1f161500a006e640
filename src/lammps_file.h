/* A LAMMPS data file as it stands: units real, atom_style hybrid angle dipole sphere, with columns
   id type x y z molecule charge mux muy muz diameter density [ix iy iz]. Checked for consistency
   in itself; what it means to a force field is lammps.h's. */
#ifndef LAMMPS_FILE_H
#define LAMMPS_FILE_H

#include <stdint.h>

#include "topology.h"

struct lammps_atom {
  int64_t line;
  int type; /* from 1 */
  int has_velocity;
  int image[3];
  double x[3];      /* A */
  double charge;    /* e */
  double dipole[3]; /* e A */
  double v[3];      /* A/fs */
  double omega[3];  /* rad/fs */
};

struct lammps_coefficient {
  int64_t line; /* 0: not given */
  double k, x0; /* kcal/mol (/A2), A or degrees */
};

enum { LAMMPS_ATOMS, LAMMPS_BONDS, LAMMPS_ANGLES, LAMMPS_COUNTS };

struct lammps_file {
  const char *path;               /* borrowed */
  int64_t n[LAMMPS_COUNTS];       /* atoms, bonds, angles */
  int64_t n_types[LAMMPS_COUNTS]; /* of each */
  double lo[3], hi[3];            /* A */
  int has_velocities;
  struct lammps_atom *atom; /* by id */
  struct bond_entry *bond;  /* types from 1 */
  struct angle_entry *angle;
  int64_t *angle_line;
  struct lammps_coefficient *bond_coefficient, *angle_coefficient; /* by type */
};

/* Any mistake: status 2, with file and line. */
struct lammps_file *lammps_file_read(const char *path);
void lammps_file_destroy(struct lammps_file *f);

#endif
