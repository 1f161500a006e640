/* Which bonded form of force fields a function of a GROMACS topology is, and which form of virtual
   sites. One list for reading and writing. Here U = k (...)^2, in GROMACS k/2 (...)^2. Local. */
#ifndef TOP_FUNCTIONS_H
#define TOP_FUNCTIONS_H

#include "model/bonded_form.h"

enum { TOP_VALUES_MOST = 6 };

struct top_function {
  const char *directive; /* "bonds" */
  int function;
  int values; /* columns after the function */
  int form;   /* FORM_... */
  /* Parameter k of the form is factor[k] times column from[k] after the function. */
  int from[BONDED_PARAMETERS_MOST];
  double factor[BONDED_PARAMETERS_MOST];
};

/* Dihedrals: a Fourier series, of F1 to F4; and k, a0, a1, a2, a3, a4: U = k times the sum. */
enum { TOP_FOURIER = 5, TOP_BENDING_TORSION = 11 };

/* NULL: the function is not implemented. */
const struct top_function *top_function_find(const char *directive, int function);
/* That by which the form is written; NULL: GROMACS has none. */
const struct top_function *top_function_of(int form);

struct top_site {
  const char *directive; /* "virtual_sites2" */
  int function;
  int numbers;      /* after the function; 0: weights beside the atoms */
  const char *form; /* its name: model/site_list.h */
};
const struct top_site *top_site_find(const char *directive, int function);
const struct top_site *top_site_of(const char *form);

#endif
