/* Force fields from YAML files. */
#ifndef FORCEFIELD_FILE_H
#define FORCEFIELD_FILE_H

#include "model/forcefield.h"

/* From YAML text; origin names it in messages ("elba.yaml", "state file start.h5"). All mistakes
   are reported at once, each with its line; then status 2. */
struct forcefield *forcefield_parse(const char *text, const char *origin);
/* From a path, or a name looked up in $LAMELLA_FORCEFIELDS, then in the installed folder. */
struct forcefield *forcefield_load(const char *name);
/* Names of the installed force fields, one a line, to stdout. */
void forcefield_list(void);

#endif
