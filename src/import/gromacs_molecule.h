/* The contents of a molecule type that the system uses, in nm, kJ/mol, amu, e and the forms of
   force fields. Beads count from 0. Local. */
#ifndef GROMACS_MOLECULE_H
#define GROMACS_MOLECULE_H

#include "import/gromacs_forms.h"

struct gromacs_atom {
  struct gromacs_place place;
  int type; /* of the topology */
  long long residue;
  const char *residue_name, *name;
  double mass, charge;
  int is_site;
};

struct gromacs_term {
  struct gromacs_place place;
  int form; /* enum bonded_form */
  int function, bead[4];
  double value[BONDED_PARAMETERS_MOST];
};

struct gromacs_constraint {
  struct gromacs_place place;
  int bead[2], joins;
  double length;
};

/* A virtual site. form: its word in force fields. Sites of form centre have a weight for each of
   `from`, others its parameters. */
struct gromacs_site {
  struct gromacs_place place;
  const char *form;
  enum gromacs_directive directive;
  int bead, n_from;
  int *from;
  double *weight;
  double number[3];
};

struct gromacs_restraint {
  struct gromacs_place place;
  int bead;
  double k[3];
};

struct gromacs_molecule {
  const char *name;
  struct gromacs_place place;
  int nrexcl;
  int n_atoms, n_terms, n_constraints, n_sites, n_restraints;
  struct gromacs_atom *atom;
  struct gromacs_term *term;
  struct gromacs_constraint *constraint;
  struct gromacs_site *site;
  struct gromacs_restraint *restraint;
  int64_t n_excluded;
  int (*excluded)[2]; /* pairs of [ exclusions ], as they stand there */
};

/* Reads molecule type k. Its lines are cut in place: texts belong to the topology. */
void gromacs_molecule_read(struct gromacs_topology *t, int k, const struct gromacs_types *types,
                           struct gromacs_molecule *out, struct error_list *m);
void gromacs_molecule_free(struct gromacs_molecule *molecule);

/* What reads the lines of one molecule type. */
struct gromacs_lines_reader {
  const struct gromacs_topology *t;
  const struct gromacs_types *types;
  struct gromacs_molecule *molecule;
  struct gromacs_words words; /* of the present line */
  struct gromacs_place place;
  enum gromacs_directive directive;
  struct error_list *m;
};

/* The bead in column k of the present line: -1 with an error: none. gromacs_beads.c. */
int gromacs_read_bead(struct gromacs_lines_reader *r, int k);
/* Reads `n` beads from column k on, all different. 1, or 0 with an error. */
int gromacs_read_beads(struct gromacs_lines_reader *r, int k, int n, int *bead);
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
