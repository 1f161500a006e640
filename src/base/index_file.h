/* Index files of GROMACS (.ndx): groups, `[ NAME ]`, and the numbers of their atoms, from 1. Local.
 */
#ifndef INDEX_FILE_H
#define INDEX_FILE_H

#include <stdint.h>

#include "base/error_list.h"

/* The atoms of the group of a name, whose case does not matter, in the order of the file; -1: there
   is none. most: atoms of the system. Mistakes in the file, and two groups of the name, are added
   to m. Sets *atom, which the caller frees. A file that cannot be read ends the program with
   STATUS_INPUT. */
int64_t index_file_read(const char *path, const char *name, int64_t most, int64_t **atom,
                        struct error_list *m);
/* The names of the groups of a file, separated by commas. Caller frees. */
char *index_file_names(const char *path);

#endif
