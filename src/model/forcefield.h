/* A force field as its YAML file describes it: types, pair table, bonded types, molecules. */
#ifndef FORCEFIELD_H
#define FORCEFIELD_H

#include "base/choices.h"

enum { FF_NAME = 24 }; /* bytes of a name, with its end */

#define TRUNCATION_CHOICES(C)                                                                      \
  C(LJ_CUT, cut)                                                                                   \
  C(LJ_FORCE_SHIFT, force_shift)                                                                   \
  C(LJ_STODDARD_FORD, stoddard_ford)
#define ELECTROSTATICS_CHOICES(C)                                                                  \
  C(ELECTROSTATICS_NONE, none)                                                                     \
  C(ELECTROSTATICS_SHIFTED_FORCE, shifted_force)
/* U = k (r - r0)^2 */
#define BOND_CHOICES(C) C(BOND_HARMONIC, harmonic)
/* U = k (cos t - cos t0)^2 */
#define ANGLE_CHOICES(C)                                                                           \
  C(ANGLE_COSINE_SQUARED, cosine_squared)                                                          \
  C(ANGLE_DIPOLE, dipole)
enum lj_truncation { TRUNCATION_CHOICES(CHOICE_CONSTANT) };
enum electrostatics { ELECTROSTATICS_CHOICES(CHOICE_CONSTANT) };
enum bond_form { BOND_CHOICES(CHOICE_CONSTANT) };
enum angle_form { ANGLE_CHOICES(CHOICE_CONSTANT) };

struct ff_type {
  char name[FF_NAME];
  double mass;       /* amu */
  double inertia[3]; /* amu nm2, body frame; 0: no rotation about that axis */
  double charge;     /* e */
  double dipole;     /* e nm, along body z */
  double electrons;  /* per bead, for density profiles; 0 where the file says nothing */
};

struct ff_pair {
  double epsilon, sigma; /* kJ/mol, nm */
};

struct ff_bond {
  char name[FF_NAME];
  enum bond_form form;
  double k, r0; /* kJ/mol/nm2, nm */
};

struct ff_angle {
  char name[FF_NAME];
  enum angle_form form;
  double k, theta0; /* kJ/mol, degrees; theta0 is gamma0 for ANGLE_DIPOLE */
};

/* Beads of a molecule are numbered from 0 here, from 1 in the file. */
struct ff_molecule {
  char name[FF_NAME];
  int n_beads, n_bonds, n_angles;
  int *bead;       /* type of each bead */
  int (*bond)[3];  /* bond type, i, j */
  int (*angle)[4]; /* angle type, i, j, k; ANGLE_DIPOLE: i carries the dipole, j is where it
                      points to, k = j */
};

struct forcefield {
  char name[FF_NAME];
  char version[FF_NAME];
  char *source;  /* where the numbers come from, one line */
  char *text;    /* the whole YAML text, kept in state files */
  double cutoff; /* nm */
  enum lj_truncation truncation;
  enum electrostatics electrostatics;
  int exclude[3]; /* 1-2, 1-3, 1-4 pairs excluded? */
  int n_types, n_bonds, n_angles, n_molecules;
  struct ff_type *type;
  struct ff_pair *pair; /* [n_types][n_types], symmetric, complete */
  struct ff_bond *bond;
  struct ff_angle *angle;
  struct ff_molecule *molecule;
};

void forcefield_destroy(struct forcefield *ff);
/* -1 where there is none of that name. */
int forcefield_type(const struct forcefield *ff, const char *name);
int forcefield_molecule(const struct forcefield *ff, const char *name);
/* A readable table of everything in it, to stdout. */
void forcefield_print(const struct forcefield *ff);

#endif
