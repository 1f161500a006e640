/* Import of GROMACS files: a topology and a configuration become a force field and a system.

     struct gromacs *g = gromacs_read_stages("topol.top", 1, &options, NULL, &errors);
     char *text = gromacs_forcefield_text(g, &pairs, &errors);
     struct forcefield *ff = forcefield_parse(text, ...);
     struct system *s = gromacs_system(g, "conf.gro", ff, ...);
     gromacs_destroy(g);

   Local. */
#ifndef GROMACS_H
#define GROMACS_H

#include <stdio.h>

#include "import/gromacs_molecule.h"
#include "io/foreign/gro.h"
#include "model/system.h"

/* How pairs end, which a topology does not say. */
struct gromacs_pairs {
  struct ff_treatment treatment; /* all but its cutoff, switch_from and permittivity */
  const char *coulomb; /* electrostatics none: charges are refused, because of this coulombtype */
  struct file_line where;
  /* 1: of user tables, in place of Lennard-Jones; and, with these only, of charges. */
  int lj_is_user, charges_are_user;
  struct file_line user; /* where this is said */
};

/* User tables. Their files: of pairs, mdrun -table, and of bonded terms, -tableb; table.xvg where
   none are given, from which the names of others follow. Borrowed. The rest is made by
   gromacs_tables.c; gromacs_tables_free. */
struct gromacs_tables {
  const char *pairs;
  int n_bonded;
  const char *const *bonded;
  int *group;  /* energy group of each variant, from 1; 0: none. NULL: there are no groups */
  char **file; /* [groups][groups]: of pairs of groups; NULL: that of all */
  int n_groups, n_made;
  struct gromacs_table *made; /* of pairs of types */
};

/* A type of the force field: an atom type with the mass and charge of some atoms, in molecules that
   are coupled alike. */
struct gromacs_variant {
  int type; /* of the topology */
  double mass, charge;
  unsigned coupled; /* of the molecules */
  char name[FF_NAME];
  struct file_line where; /* of the first atom */
};

struct gromacs {
  struct gromacs_topology *topology; /* its blocks name molecules by their index here */
  char *path;
  int n_molecules; /* those that the system uses, in the order of the topology */
  struct gromacs_molecule *molecule;
  char (*molecule_name)[FF_NAME];
  int n_variants;
  struct gromacs_variant *variant;
  int n_sets; /* of restraints */
  char (*set)[FF_NAME];
  int n_stages;
  double *strength;     /* [n_sets][n_stages]: the constant of all restraints of a set in a stage,
                           kJ/mol/nm2; 0: off; NAN: as the force field has them */
  struct gromacs *next; /* the topology with the macros of other stages, whose texts this one has */
  int exclude; /* pairs up to so many bonds apart are excluded in all molecules; -1: each has its
                  own exclusions */
};

/* Reads a topology and the molecule types that its system uses; o->coupling changes them. Stages,
   n of them, may differ in the macros and folders of their options o[n]: the molecules have the
   restraints of all. name: of the stages, for messages; NULL for one. If there are mistakes, or
   anything but position restraints differs, ends all ranks with STATUS_INPUT. */
struct gromacs *gromacs_read_stages(const char *path, int n, const struct gromacs_options *o,
                                    const char *const *name, struct error_list *m);
/* Divides the restraints of the topologies g and g->next ... into sets that each stage turns on and
   off: g has all of them then. reading: [n_stages], of a stage among the topologies. */
void gromacs_sets_make(struct gromacs *g, const int *reading);
/* Adds an error where two topologies differ in anything but position restraints; name: of their
   stages. Before their molecules are read. */
void gromacs_sets_compare(const struct gromacs_topology *a, const struct gromacs_topology *b,
                          const char *const name[2], struct error_list *m);
/* What a run file has as `restraints` in a stage: "{POSRES: 1000, TAILS: no}". */
void gromacs_sets_write(FILE *out, const struct gromacs *g, int stage);
void gromacs_destroy(struct gromacs *g);
/* Gives coupled molecules types of beads of their own, and what they keep: gromacs_couple.c.
 */
void gromacs_couple(struct gromacs *g, int n, const struct gromacs_coupling *coupling,
                    struct error_list *m);
/* The molecule type and the number of atoms of a block of [ molecules ], and of all blocks. */
const struct gromacs_molecule *gromacs_block_molecule(const struct gromacs *g, int block);
int64_t gromacs_block_atoms(const struct gromacs *g, int block);
int64_t gromacs_atoms(const struct gromacs *g);

/* The force field as YAML, with the files of its tables. Caller frees. */
char *gromacs_forcefield_text(struct gromacs *g, const struct gromacs_pairs *pairs,
                              struct gromacs_tables *tables, struct error_list *m);
/* The number, from 1, of the table of two variants: the sum of the potentials of charges,
   dispersion and repulsion in a file with these factors. */
int gromacs_table_of(struct gromacs_tables *t, int i, int j, const double factor[3]);
/* `tables:`, those that bonded terms and pairs read. Adds an error for each file that cannot be
   read. Returns how many there are. */
int gromacs_tables_write(FILE *out, const struct gromacs *g, const struct gromacs_pairs *pairs,
                         const struct gromacs_tables *t, struct error_list *m);
void gromacs_tables_free(struct gromacs_tables *t);

/* Pairs of beads of a molecule that have no pair forces beside those that g->exclude gives: i < j,
   ascending. *n: how many. Caller frees. */
int (*gromacs_excluded(const struct gromacs *g, int molecule, struct error_list *m, int64_t *n))[2];

/* A text without characters that names may not have, shortened if necessary. Returns name. */
const char *gromacs_name_clean(const char *text, char name[FF_NAME]);
/* The same, different from all names in the map, to which it is added. */
void gromacs_name_make(struct name_map *taken, const char *text, char name[FF_NAME]);

/* Compares the names of atoms with those of the topology: the first that differ are printed. They
   are mistakes unless `allowed`. */
void gromacs_gro_compare(const struct gromacs_gro *c, const struct gromacs *g, int allowed,
                         struct error_list *m);
/* The whole system: types, molecules and bonded terms of the topology, positions and momenta of the
   configuration. Takes ownership of the force field, which is that of gromacs_forcefield_text. */
struct system *gromacs_system(const struct gromacs *g, const struct gromacs_gro *c,
                              struct forcefield *ff);
/* Moves beads with mass that lie on one point of the configuration apart, with a warning: pair
   forces have no direction there. The whole system; changes c too. */
void gromacs_separate(struct system *s, struct gromacs_gro *c);

#endif
