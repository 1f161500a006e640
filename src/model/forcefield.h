/* A force field as its YAML file describes it: types, pair table, bonded types, molecules. On the
   host, the same on every rank. */
#ifndef FORCEFIELD_H
#define FORCEFIELD_H

#include "base/choices.h"
#include "model/bonded_form.h"
#include "model/cluster.h"
#include "model/tabulated.h"

enum {
  FF_NAME = 24,           /* bytes of a name, with the terminating 0 */
  FF_TYPES_MOST = 1000,   /* bead types of a force field */
  FF_TREATMENTS_MOST = 16 /* cutoff treatments */
};

/* What force fields call restraints of no set, beside those of sets. */
#define FF_SET_ALWAYS "always"

/* Those of Lennard-Jones with a term of their own, and all. */
#define TRUNCATION_TERMS(C)                                                                        \
  C(LJ_CUT, cut)                                                                                   \
  C(LJ_FORCE_SHIFT, force_shift)                                                                   \
  C(LJ_STODDARD_FORD, stoddard_ford)                                                               \
  C(LJ_SWITCH, switch)                                                                             \
  C(LJ_ENERGY_SHIFT, energy_shift)
#define TRUNCATION_CHOICES(C)                                                                      \
  TRUNCATION_TERMS(C)                                                                              \
  C(LJ_FORCE_SWITCH, force_switch)                                                                 \
  C(LJ_POTENTIAL_SWITCH, potential_switch)
#define ELECTROSTATICS_CHOICES(C)                                                                  \
  C(ELECTROSTATICS_NONE, none)                                                                     \
  C(ELECTROSTATICS_SHIFTED_FORCE, shifted_force)                                                   \
  C(ELECTROSTATICS_SWITCH, switch)                                                                 \
  C(ELECTROSTATICS_REACTION_FIELD, reaction_field)                                                 \
  C(ELECTROSTATICS_CHARGE_REACTION_FIELD, charge_reaction_field)                                   \
  C(ELECTROSTATICS_CHARGE_FORCE_SWITCH, charge_force_switch)
enum lj_truncation { TRUNCATION_CHOICES(CHOICE_CONSTANT) };
enum electrostatics { ELECTROSTATICS_CHOICES(CHOICE_CONSTANT) };

struct ff_type {
  char name[FF_NAME];
  double mass;       /* amu; 0: of virtual sites */
  double inertia[3]; /* amu nm2, body frame; 0: no rotation about that axis */
  double charge;     /* e */
  double dipole;     /* e nm, along body z */
  double electrons;  /* electrons per bead, for density profiles; 0 if the file gives none */
  /* Gay-Berne ellipsoid with its long axis along body z: length over breadth, and the well depth
     side by side over that end to end. 0: a sphere. */
  double kappa, kappa_prime;
};

/* Where an interaction ends, and where its force_switch or potential_switch begins, nm. */
struct ff_end {
  double switch_from, cutoff;
};

/* How one set of type pairs is cut off, and which electrostatics it has. */
struct ff_treatment {
  double cutoff;                    /* nm, at most that of the force field */
  double switch_from;               /* nm; where the cubic switching function leaves 1 */
  double permittivity;              /* relative, outside the cutoff: of the reaction field */
  struct ff_end lj_end, charge_end; /* of Lennard-Jones; of electrostatics for charges alone */
  /* Relative permittivities of electrostatics for charges alone: within the cutoff (0: of others),
     and beyond it in charge_reaction_field, where 0 stands for a conductor. */
  double epsilon_r, epsilon_rf;
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
  double epsilon, sigma; /* kJ/mol, nm; of a tabulated pair 0, and where its energy falls to 0 */
  int treatment;         /* index */
  int tabulated;         /* number of its table, from 1; 0: none */
  struct ff_sticky sticky;
};

struct ff_bonded {
  char name[FF_NAME];
  int form; /* enum bonded_form */
  int set;  /* of a restraint: its set, from 1; 0: none, always acts */
  /* Of the parameters of the form, in their units; of a table its number, from 1. */
  double value[BONDED_PARAMETERS_MOST];
};

/* The bonded types of a section. */
struct ff_section {
  int n;
  struct ff_bonded *type;
};

/* A bonded term of a molecule: its type, and the beads of its form. */
struct ff_term {
  int type, bead[BONDED_BEADS_MOST];
};

struct ff_terms {
  int n;
  struct ff_term *term;
};

/* Two beads of a molecule that have no pair forces. */
struct ff_exclusion {
  int bead, other;
};

/* Consecutive beads of a molecule, as in a PDB or GROMACS file. */
struct ff_residue {
  char name[FF_NAME];
  int number, first; /* first: its first bead */
};

/* Beads of a molecule are numbered from 0 here, from 1 in the file. */
struct ff_molecule {
  char name[FF_NAME];
  int n_beads;
  int *bead;                        /* type of each bead */
  struct ff_terms bonded[SECTIONS]; /* constraints are bonds */
  /* In addition to the pairs that ff->exclude excludes: each twice, (a, b) and (b, a), ascending.
   */
  int n_exclusions;
  struct ff_exclusion *exclusion;
  char (*bead_name)[FF_NAME]; /* of each bead; NULL: those of the types */
  int n_residues;             /* 0: the molecule is one, of its name */
  struct ff_residue *residue; /* in the order of beads */
  int n_sites;
  struct ff_site *site; /* in the order of construction */
  int *cluster, *place; /* [n_beads]: the cluster type of a bead and its number there, or -1 */
};

struct forcefield {
  char name[FF_NAME];
  char version[FF_NAME];
  char *source;  /* source of the parameters, one line */
  char *text;    /* the whole YAML text, kept in state files */
  double cutoff; /* nm, the largest */
  int n_treatments;
  struct ff_treatment
      treatment[FF_TREATMENTS_MOST]; /* the first is the default, of pairs in no class */
  int gb_mu, gb_nu;                  /* exponents of Gay-Berne pairs */
  int exclude[3];                    /* 1-2, 1-3, 1-4 pairs excluded? */
  int n_types, n_molecules;
  struct ff_type *type;
  struct ff_pair *pair; /* [n_types][n_types], symmetric, complete */
  int n_tables;
  struct tabulated *table;
  struct ff_section bonded[SECTIONS];
  int n_sets; /* of restraints: those that a run can turn on and off together */
  char (*set)[FF_NAME];
  struct ff_molecule *molecule;
  int n_clusters;
  struct cluster_type *cluster; /* of all molecules */
  int shares;                   /* owners besides the first: forcefield_share */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Adds an owner, who must call forcefield_destroy too. Not from several threads at a time. */
struct forcefield *forcefield_share(struct forcefield *ff);
void forcefield_destroy(struct forcefield *ff);
/* Index of a type or molecule by name; -1 if there is none. */
int forcefield_type(const struct forcefield *ff, const char *name);
int forcefield_molecule(const struct forcefield *ff, const char *name);
/* 1 if the indices of types, bonded types and molecules of a state with the force field `old` mean
   the same in `now`: the entries of old come first in now and in the same order. Parameters may
   differ. */
int forcefield_extends(const struct forcefield *now, const struct forcefield *old);
/* The index of a bonded type among those of all sections; forcefield_bonded(ff, SECTIONS, 0) is
   their number. */
int forcefield_bonded(const struct forcefield *ff, int section, int type);
/* Rest length of a bonded type, nm; 0 if it has none (bonded_rest). */
double forcefield_rest(const struct forcefield *ff, int section, int type);
/* The form of a bonded type of a section. */
const struct bonded_form_info *forcefield_form(const struct forcefield *ff, int section, int type);
/* 1 if a bonded type is a constraint. */
static inline int forcefield_is_constraint(const struct forcefield *ff, int section, int type)
{
  const int form = ff->bonded[section].type[type].form;
  return form == FORM_bond_constraint || form == FORM_bond_constraint_apart;
}
/* 1 if `now`, which extends `old`, excludes the same pairs of bonded beads and gives excluded
   charges the same terms. The topology of a state with bonds holds both, so a new force field
   cannot change them. */
int forcefield_excludes_alike(const struct forcefield *now, const struct forcefield *old);
/* 1 if `now`, which extends `old`, has the same parameters of types, pairs and bonded types. */
int forcefield_keeps(const struct forcefield *now, const struct forcefield *old);
/* 1 if the form of a pair of types is Gay-Berne: at least one of them is an ellipsoid. */
int forcefield_is_gay_berne(const struct forcefield *ff, int i, int j);
/* 1 if body z of a type means something: it has a dipole, or is an ellipsoid. */
static inline int forcefield_has_axis(const struct forcefield *ff, int type)
{
  return ff->type[type].dipole != 0 || ff->type[type].kappa > 0;
}
/* 1 if two types have a sticky term. */
int forcefield_is_sticky(const struct forcefield *ff, int i, int j);
/* The table of two types, which stands in place of Lennard-Jones; NULL: none. */
const struct tabulated *forcefield_table(const struct forcefield *ff, int i, int j);
/* The table of a bonded type; NULL: its form reads none. */
const struct tabulated *forcefield_bonded_table(const struct forcefield *ff,
                                                const struct ff_bonded *b);
/* 1 if two types have Lennard-Jones: neither Gay-Berne nor a table. */
int forcefield_is_lj(const struct forcefield *ff, int i, int j);
/* 1 if a treatment is one of the modified interactions of GROMACS, with terms for all of them. */
int forcefield_is_modified(const struct ff_treatment *t);
/* 1 if its Lennard-Jones is switched as in GROMACS. */
int forcefield_switches_lj(const struct ff_treatment *t);
/* 1 if a treatment has the cubic switching function. */
int forcefield_switches(const struct ff_treatment *t);
/* The relative permittivity within the cutoff: epsilon_r of electrostatics for charges alone, 1 of
   others; 0 if it is not the same for all pairs of charges. */
double forcefield_epsilon_r(const struct forcefield *ff);
/* k of charge_reaction_field: U = C q_i q_j / epsilon_r (1 / r + k r^2 / rc^3 - (1 + k) / rc). */
double forcefield_charge_field(const struct ff_treatment *t);
/* How many molecules of H2O a molecule of water stands for: n > 1 if its mass is n times that of
   H2O within 1 % (Martini: 4); else the sum over its beads by the same rule, other beads counting
   1. */
int forcefield_waters(const struct forcefield *ff, int molecule);
/* 1 if a molecule has about the volume of forcefield_waters molecules of H2O: it is a single bead,
   such as water or an ion, or its beads have the mass of several H2O together and none has it
   alone. */
int forcefield_is_solvent(const struct forcefield *ff, int molecule);
/* Appends a bonded type with n values to a section; returns its index. */
int forcefield_add_bonded(struct ff_section *s, const char *name, int form, const double *value,
                          int n);
/* Makes the types of section excluded: one for each treatment with charge_reaction_field. Once, by
   who makes a force field, when its treatments are complete. */
void forcefield_add_excluded(struct forcefield *ff);
/* The type, in section excluded, of the term that two beads of these types have if they have no
   pair forces; -1: none. */
int forcefield_excluded(const struct forcefield *ff, int i, int j);
/* Prints everything as tables to stdout. */
void forcefield_print(const struct forcefield *ff);

#ifdef __cplusplus
}
#endif

#endif
