/* GROMACS topologies (.top, .itp): everything that the directives say. The lines of molecule types
   are kept as texts, and read only for those that the system uses (gromacs_molecule.h). Local. */
#ifndef GROMACS_TOPOLOGY_H
#define GROMACS_TOPOLOGY_H

#include <stdint.h>

#include "base/error_list.h"
#include "base/name_map.h"
#include "import/gromacs_text.h"

enum gromacs_directive {
#define DIRECTIVE(name, level, beads, refusal) GROMACS_##name,
#include "import/gromacs_directives.h"
#undef DIRECTIVE
  GROMACS_DIRECTIVES
};

/* The members are those of a row of gromacs_directives.h. */
extern const struct gromacs_directive_info {
  const char *name;
  enum { PARAMETERS, BONDED_TYPES, UNUSED, MOLECULETYPE, MOLECULE, SYSTEM } level;
  int beads;
  const char *refusal;
} gromacs_directive_info[GROMACS_DIRECTIVES];
/* Word k as a number, which may be a product with 1. 1, or 0 with an error. */
int gromacs_read_real(const struct words *w, int k, const char *what, double *value);
/* 1 if two words are one for GROMACS, which ignores case, '-' and '_'. */
int gromacs_word_equal(const char *a, const char *b);

struct gromacs_line {
  enum gromacs_directive directive;
  struct file_line where;
  char *text;      /* owned */
  const char *set; /* of position_restraints: gromacs_text_set */
};

struct gromacs_lines {
  int64_t n;
  struct gromacs_line *line;
};

/* A row of [ atomtypes ]. */
struct gromacs_type {
  struct file_line where;
  char *bonded; /* the name in tables of bonded types; owned */
  double mass, charge, c[2];
};

/* A row of [ nonbond_params ]: in the units of the combination rule. */
struct gromacs_pair {
  int type[2];
  double c[2];
  struct file_line where;
};

struct gromacs_moleculetype {
  struct file_line where;
  int64_t first_line, end_line; /* of its lines in molecule_lines */
  int nrexcl;
  int used;
};

/* A row of [ molecules ]. */
struct gromacs_block {
  int molecule;
  int64_t count;
  struct file_line where;
};

struct gromacs_topology {
  struct gromacs_text *text; /* owns the names of files */
  int rule;                  /* combination rule, 1 to 3 */
  int generates_pairs;       /* gen-pairs */
  double fudge_lj, fudge_qq; /* of pairs */
  double distance_k;         /* of struct gromacs_options */
  struct name_map type_names;
  struct gromacs_type *type; /* [type_names.n] */
  int64_t n_pairs;
  struct gromacs_pair *pair;
  struct gromacs_lines bonded_types, molecule_lines;
  struct name_map molecule_names;
  struct gromacs_moleculetype *molecule; /* [molecule_names.n] */
  int n_blocks;
  struct gromacs_block *block; /* of [ molecules ]; those of no molecules are left out */
  char *title;                 /* of [ system ]; owned */
};

/* Reads a topology. Mistakes are added to m, those of the preprocessor end all ranks. */
struct gromacs_topology *gromacs_topology_read(const char *path, const struct gromacs_options *o,
                                               struct error_list *m);
/* V and W of two atom types: of a row of nonbond_params, or, NULL, by the combination rule. */
void gromacs_combine(const struct gromacs_topology *t, const struct gromacs_pair *row, int i, int j,
                     double c[2]);
void gromacs_topology_destroy(struct gromacs_topology *t);

#endif
