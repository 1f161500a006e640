/* Groups of atoms by name, as run parameters of GROMACS have them: those of an index file (.ndx),
   of
   --group, the default groups of GROMACS, and the molecule types of the topology. Names have no
   case. Local. */
#ifndef GROMACS_INDEX_H
#define GROMACS_INDEX_H

#include "import/gromacs.h"

struct gromacs_index {
  const struct gromacs *g;
  int64_t n;        /* atoms of the topology */
  const char *path; /* of the index file; NULL: none. Borrowed, as g */
  int n_given;      /* values of --group, NAME=MOLECULE,...; borrowed */
  const char *const *given;
};

/* Adds errors for groups of --group that are not well formed. gromacs_groups.c. */
void gromacs_groups_check(const struct gromacs_index *x, struct error_list *m);
/* Sets in[atom] to 1 for the atoms of a group, else 0. 0 if there is no such group; mistakes in the
   file are added to m. */
int gromacs_index_mark(const struct gromacs_index *x, const char *name, char *in,
                       struct error_list *m);
/* The same without the index file; `in` is 0 before. gromacs_groups.c. */
int gromacs_groups_mark(const struct gromacs_index *x, const char *name, char *in);
/* Marked atoms, at least one, as a selection of a run file. Caller frees. gromacs_selection.c. */
char *gromacs_index_selection(const struct gromacs_index *x, const char *in);

#endif
