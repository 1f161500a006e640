/* Groups that stay when a file is written anew. */
#ifndef H5_KEEP_H
#define H5_KEEP_H

#include <stddef.h>

/* Copies the groups of the file `from` that the file `to` lacks. 0 with the reason in why[size] if
   `to` could not be written; a file `from` that is not there, or that cannot be read, has none.
   Local. */
int h5_keep_groups(const char *from, const char *to, char *why, size_t size);
/* Gives a group of a file another name. 0 if that fails. Local. */
int h5_rename_group(const char *path, const char *from, const char *to);

#endif
