/* Reading of force fields from YAML files. Local. */
#ifndef FORCEFIELD_FILE_H
#define FORCEFIELD_FILE_H

#include "model/forcefield.h"

/* Parses YAML text. origin: its name in messages ("elba.yaml", "state file start.h5"). All errors
   are reported together, each with its line; then all ranks end with STATUS_INPUT. Caller destroys
   the result. */
struct forcefield *forcefield_parse(const char *text, const char *origin);
/* Reads a file given by its path, or by a name that is looked up in the folders of
   $LAMELLA_FORCEFIELDS, then in the installed folder. */
struct forcefield *forcefield_load(const char *name);
/* The text of a force field with those of the files that its tables name, as section `files`,
   unless it has them already. path: of the text, relative to whose folder they are. Frees the text.
   Caller frees. */
char *forcefield_add_files(char *text, const char *path);
/* Prints the names that forcefield_load finds, one per line, to stdout. */
void forcefield_list(void);

#endif
