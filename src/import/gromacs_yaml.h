/* Force fields as YAML text that is readable and says where each entry comes from. Local. */
#ifndef GROMACS_YAML_H
#define GROMACS_YAML_H

#include <stdio.h>

#include "base/parse.h"
#include "import/gromacs.h"

enum { GROMACS_SCALAR = 4 * FF_NAME + 3 }; /* bytes of a name in quotes */

/* A name as a scalar, quoted where it must be. Returns text, or the name. */
const char *gromacs_yaml_name(const char *name, char text[GROMACS_SCALAR]);
/* The same, and a number, in memory of the block that they stand in. */
#define YAML_NAME(name) gromacs_yaml_name(name, (char[GROMACS_SCALAR]){0})
#define YAML_REAL(value) format_real(value, (char[FORMAT_REAL_BYTES]){0})
/* "  # FILE:LINE" and the end of the line. */
void gromacs_yaml_line(FILE *out, struct file_line where);
/* A text without what a comment may not have; tabs are blanks. */
void gromacs_yaml_text(FILE *out, const char *text);

/* `bonds:`, `angles:`, `dihedrals:`; sets the types of terms. epsilon_r: of pairs of charges. */
void gromacs_yaml_bonded(FILE *out, struct gromacs *g, double epsilon_r, struct error_list *m);
/* `molecules:` */
void gromacs_yaml_molecules(FILE *out, const struct gromacs *g, struct error_list *m);

#endif
