/* The contents of a molecule type that the system uses, in nm, kJ/mol, amu, e and the forms of
   force fields. Beads count from 0. Local. */
#ifndef GROMACS_MOLECULE_H
#define GROMACS_MOLECULE_H

#include "import/gromacs_topology.h"
#include "io/foreign/top_functions.h"
#include "model/cluster.h"
#include "model/restraint_shape.h"

struct gromacs_atom {
  struct file_line where;
  int type; /* of the topology */
  long long residue;
  const char *residue_name, *name;
  double mass, charge;
  int is_site;
  int variant; /* of struct gromacs: gromacs.c */
};

struct gromacs_term {
  struct file_line where;
  int form;     /* enum bonded_form */
  int function; /* of GROMACS */
  int bead[4];
  int type; /* in its section of the force field made, from 1: gromacs_yaml.c */
  double value[BONDED_PARAMETERS_MOST];
};

struct gromacs_constraint {
  struct file_line where;
  int bead[2], joins;
  double length;
};

/* A virtual site. Sites of form centre have a weight for each of `from`, others its parameters. */
struct gromacs_site {
  struct file_line where;
  int form; /* enum site_form */
  enum gromacs_directive directive;
  int bead, n_from;
  int *from;
  double *weight;
  double number[SITE_PARAMETERS_MOST];
};

enum { SET_ALWAYS = -1, SET_NONE_YET = -2 };

struct gromacs_restraint {
  struct file_line where;
  int bead;
  const struct restraint_shape *shape; /* NULL: harmonic */
  double k[3];                         /* force constants; of a shape: its radius, nm, and one */
  const char *macro;                   /* gromacs_text_set */
  int set; /* of struct gromacs, from 0, or SET_ALWAYS: gromacs_sets.c */
};

struct gromacs_molecule {
  const char *name;
  struct file_line where;
  int nrexcl;
  int n_atoms, n_terms, n_constraints, n_sites, n_restraints;
  struct gromacs_atom *atom;
  struct gromacs_term *term;
  struct gromacs_constraint *constraint;
  struct gromacs_site *site;
  struct gromacs_restraint *restraint;
  /* [n_restraints][stages]: their force constants in each stage; NAN: there it has none.
     gromacs_sets.c. */
  double (*stage_k)[3];
  unsigned coupled; /* bits of the stages that couple it alone: gromacs_couple.c */
  int64_t n_excluded;
  int (*excluded)[2]; /* pairs of [ exclusions ], as they stand there */
};

struct gromacs_types;
/* Reads molecule type k. Its lines are cut in place: texts belong to the topology. */
void gromacs_molecule_read(struct gromacs_topology *t, int k, const struct gromacs_types *types,
                           struct gromacs_molecule *out, struct error_list *m);
void gromacs_molecule_free(struct gromacs_molecule *molecule);

/* The parameters of the form from the columns of a line; what is out of range adds an error.
   gromacs_forms.c. */
void gromacs_form_set(const struct top_function *f, const double *column, double *value,
                      const struct words *w);

/* A row of a table of bonded types. function: of function 9 of dihedrals 1. */
struct gromacs_type_row {
  enum gromacs_directive terms; /* that read it: GROMACS_bonds, ... */
  int function, beads;
  const char *name[4]; /* of the topology's line */
  struct file_line where;
  double value[TOP_VALUES_MOST];
};
/* The tables of bonded types: gromacs_types.c. */
struct gromacs_types *gromacs_types_create(const struct gromacs_topology *t, struct error_list *m);
/* The rows for atoms with these bonded names, which follow each other; NULL: none. *n: how many,
   above 1 only for proper dihedrals. */
const struct gromacs_type_row *gromacs_types_find(const struct gromacs_types *types,
                                                  enum gromacs_directive terms, int function,
                                                  const char *const name[4], int *n);
void gromacs_types_destroy(struct gromacs_types *types);

/* What reads the lines of one molecule type. */
struct gromacs_lines_reader {
  const struct gromacs_topology *t;
  const struct gromacs_types *types;
  struct gromacs_molecule *molecule;
  struct words words; /* of the present line */
  enum gromacs_directive directive;
  const char *set; /* of the line */
  int has_label;   /* of restraints of distances before */
  int64_t label;
};

/* Words of the present line: gromacs_words.c. 1 if the line ends before word k, or n numbers follow
   that equal those before word k: the second state of a free energy, which changes nothing then.
   Else 0 with an error. */
int gromacs_read_end(const struct words *w, int k, int n);
/* The bead in column k: -1 with an error: none. */
int gromacs_read_bead(struct gromacs_lines_reader *r, int k);
/* Reads `n` beads from column k on, all different. 1, or 0 with an error. */
int gromacs_read_beads(struct gromacs_lines_reader *r, int k, int n, int *bead);
/* Makes C6 and C12 of the two numbers of a pair, V and W. Sigma below 0: no attraction, as for
   GROMACS. */
void gromacs_powers(const struct gromacs_topology *t, double c[2]);
/* 1 if two terms join the same beads, in any order. */
int gromacs_joins_same(const int *a, const int *b);
/* Reads a line of a virtual site, and checks the sites of a molecule: gromacs_sites.c. */
void gromacs_read_site(struct gromacs_lines_reader *r);
void gromacs_check_sites(const struct gromacs_molecule *molecule, struct error_list *m);
/* Leaves out the terms that grompp leaves out because of virtual sites, with a warning:
   gromacs_dropped.c. */
void gromacs_drop_terms(struct gromacs_molecule *molecule);
/* Adds an error if lengths of constraints contradict each other. */
void gromacs_check_constraints(const struct gromacs_molecule *molecule, struct error_list *m);
/* Adds an error for each cluster of constraints and sites that is too large. */
void gromacs_check_clusters(const struct gromacs_molecule *molecule, struct error_list *m);

#endif
