/* A force field as its YAML file describes it: types, pair table, bonded types, molecules. On the
   host, the same on every rank. */
#ifndef FORCEFIELD_H
#define FORCEFIELD_H

#include "base/choices.h"

enum {
  FF_NAME = 24,           /* bytes of a name, with the terminating 0 */
  FF_TYPES_MOST = 1000,   /* bead types of a force field */
  FF_TREATMENTS_MOST = 16 /* cutoff treatments */
};

#define TRUNCATION_CHOICES(C)                                                                      \
  C(LJ_CUT, cut)                                                                                   \
  C(LJ_FORCE_SHIFT, force_shift)                                                                   \
  C(LJ_STODDARD_FORD, stoddard_ford)                                                               \
  C(LJ_SWITCH, switch)
#define ELECTROSTATICS_CHOICES(C)                                                                  \
  C(ELECTROSTATICS_NONE, none)                                                                     \
  C(ELECTROSTATICS_SHIFTED_FORCE, shifted_force)                                                   \
  C(ELECTROSTATICS_SWITCH, switch)                                                                 \
  C(ELECTROSTATICS_REACTION_FIELD, reaction_field)
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
  double electrons;  /* electrons per bead, for density profiles; 0 if the file gives none */
  /* Gay-Berne ellipsoid with its long axis along body z: length over breadth, and the well depth
     side by side over that end to end. 0: a sphere. */
  double kappa, kappa_prime;
};

/* How pair terms end: by interaction class, that is a set of pairs of types. */
struct ff_treatment {
  double cutoff;       /* nm, at most that of the force field */
  double switch_from;  /* nm; where the cubic switching function leaves 1 */
  double permittivity; /* relative, outside the cutoff: of the reaction field */
  enum lj_truncation lj;
  enum electrostatics electrostatics;
  int line; /* of the force field's text: where the class, or what is for all pairs, begins */
};

/* The sticky term of soft sticky dipole water (Liu and Ichiye, J. Phys. Chem. 100, 2723, 1996). */
struct ff_sticky {
  double v0, v0_prime; /* kJ/mol; both 0: no sticky term */
  double w0;
  double lower, upper, lower_prime, upper_prime; /* nm; of the switching functions s and s' */
};

struct ff_pair {
  double epsilon, sigma; /* kJ/mol, nm */
  int treatment;         /* index */
  struct ff_sticky sticky;
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
  int (*angle)[4]; /* angle type, i, j, k. ANGLE_DIPOLE: i carries the dipole, j is the bead it
                      points to, k = j */
};

struct forcefield {
  char name[FF_NAME];
  char version[FF_NAME];
  char *source;  /* source of the parameters, one line */
  char *text;    /* the whole YAML text, kept in state files */
  double cutoff; /* nm, the largest */
  int n_treatments;
  struct ff_treatment treatment[FF_TREATMENTS_MOST]; /* the first is that of pairs of no class */
  int gb_mu, gb_nu;                                  /* exponents of Gay-Berne pairs */
  int exclude[3];                                    /* 1-2, 1-3, 1-4 pairs excluded? */
  int n_types, n_bonds, n_angles, n_molecules;
  struct ff_type *type;
  struct ff_pair *pair; /* [n_types][n_types], symmetric, complete */
  struct ff_bond *bond;
  struct ff_angle *angle;
  struct ff_molecule *molecule;
};

#ifdef __cplusplus
extern "C" {
#endif

void forcefield_destroy(struct forcefield *ff);
/* Index of a type or molecule by name; -1 if there is none. */
int forcefield_type(const struct forcefield *ff, const char *name);
int forcefield_molecule(const struct forcefield *ff, const char *name);
/* 1 if the indices of types, bonded types and molecules of a state with the force field `old` mean
   the same in `now`: the entries of old come first in now and in the same order. Parameters may
   differ. */
int forcefield_extends(const struct forcefield *now, const struct forcefield *old);
/* 1 if two force fields exclude the same pairs of bonded beads. A state with bonds holds its
   excluded pairs, which another force field cannot change. */
int forcefield_excludes_alike(const struct forcefield *now, const struct forcefield *old);
/* 1 if a force field that extends another has its parameters of types, pairs, bonds and angles. */
int forcefield_keeps(const struct forcefield *now, const struct forcefield *old);
/* 1 if the form of a pair of types is Gay-Berne: at least one of them is an ellipsoid. */
int forcefield_is_gay_berne(const struct forcefield *ff, int i, int j);
/* 1 if two types have a sticky term. */
int forcefield_is_sticky(const struct forcefield *ff, int i, int j);
/* 1 if a treatment has a switching function. */
int forcefield_switches(const struct ff_treatment *t);
/* 1 if some type is no ellipsoid, so that there are Lennard-Jones pairs. */
int forcefield_has_spheres(const struct forcefield *ff);
/* Prints everything as tables to stdout. */
void forcefield_print(const struct forcefield *ff);

#ifdef __cplusplus
}
#endif

#endif
