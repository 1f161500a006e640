/* Options that list bead types, separated by commas. */
#ifndef TYPE_LIST_H
#define TYPE_LIST_H

#include "model/forcefield.h"

/* chosen[types]: 1 for the types of the list; the caller frees it. Dies with status 2, naming the
   option and the nearest type, if one is unknown. The same on all ranks. */
char *type_list_read(const struct forcefield *ff, const char *option, const char *list);

/* Whether types that are chosen (NULL: all) have charges, dipoles: bits 1 and 2. */
int type_list_amounts(const struct forcefield *ff, const char *chosen);

#endif
