/* Groups that stay when a file is written anew. */
#ifndef H5_KEEP_H
#define H5_KEEP_H

#include <stddef.h>

/* Copies the groups of the file `from` that the file `to` lacks. 0 with the reason in why[size] if
   `to` could not be written; a file `from` that is not there, or that cannot be read, has none.
   Local. */
int h5_keep_groups(const char *from, const char *to, char *why, size_t size);

#endif
