/* Which bonded form of force fields a function of a GROMACS directive is, and its parameters in
   tables of bonded types. Local. */
#ifndef GROMACS_FORMS_H
#define GROMACS_FORMS_H

#include "import/gromacs_topology.h"
#include "model/bonded_form.h"

enum { GROMACS_VALUES_MOST = 6 };

struct gromacs_form {
  enum gromacs_directive directive;
  int function;
  int beads, values; /* columns before and after the function */
  int section;       /* enum bonded_section */
  const char *form;  /* its name there */
  /* Parameter k of the form is factor[k] times column from[k] after the function. */
  int from[BONDED_PARAMETERS_MOST];
  double factor[BONDED_PARAMETERS_MOST];
};

/* NULL: the function is not implemented. */
const struct gromacs_form *gromacs_form_find(enum gromacs_directive directive, int function);
/* The parameters of the form from the columns of a line; what is out of range adds an error. */
void gromacs_form_set(const struct gromacs_form *f, const double *column, double *value,
                      struct gromacs_place place, struct error_list *m);

/* The tables of bonded types. */
struct gromacs_types;
struct gromacs_types *gromacs_types_create(const struct gromacs_topology *t, struct error_list *m);
/* The rows for atoms with these bonded names: *values receives the first row's columns, each row
   following the last. Returns the number of rows, above 1 only for proper dihedrals; 0: none. */
int gromacs_types_find(const struct gromacs_types *types, enum gromacs_directive directive,
                       int function, int beads, const char *const name[4],
                       const double (**values)[GROMACS_VALUES_MOST]);
void gromacs_types_destroy(struct gromacs_types *types);

#endif
