/* Force fields as YAML text that is readable and says where each entry comes from. Local. */
#ifndef GROMACS_YAML_H
#define GROMACS_YAML_H

#include <stdio.h>

#include "import/gromacs.h"

/* Writes a scalar, quoted where it must be. */
void gromacs_yaml_name(FILE *out, const char *name);
void gromacs_yaml_real(FILE *out, double value);
/* "  # FILE:LINE" and the end of the line. */
void gromacs_yaml_place(FILE *out, struct gromacs_place place);
/* A text without what a comment may not have; tabs are blanks. */
void gromacs_yaml_text(FILE *out, const char *text);

/* `bonds:`, `angles:`, `dihedrals:`; numbers[molecule][term] receives the number of the bonded type
   of each term, in its section from 1. */
void gromacs_yaml_bonded(FILE *out, const struct gromacs *g, int **numbers, struct error_list *m);
/* `molecules:` */
void gromacs_yaml_molecules(FILE *out, const struct gromacs *g, int *const *numbers,
                            struct error_list *m);

#endif
