/* Parameters of bonded forms, from lines of terms and from tables of bonded types. Local. */
#ifndef GROMACS_FORMS_H
#define GROMACS_FORMS_H

#include "import/gromacs_topology.h"
#include "io/foreign/top_functions.h"

/* The parameters of the form from the columns of a line; what is out of range adds an error. */
void gromacs_form_set(const struct top_function *f, const double *column, double *value,
                      struct gromacs_place place, struct error_list *m);

/* The tables of bonded types. */
struct gromacs_types;
struct gromacs_types *gromacs_types_create(const struct gromacs_topology *t, struct error_list *m);
/* The rows for atoms with these bonded names: *values receives the first row's columns, each row
   following the last. Returns the number of rows, above 1 only for proper dihedrals; 0: none. */
int gromacs_types_find(const struct gromacs_types *types, enum gromacs_directive directive,
                       int function, int beads, const char *const name[4],
                       const double (**values)[TOP_VALUES_MOST]);
void gromacs_types_destroy(struct gromacs_types *types);

#endif
