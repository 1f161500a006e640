/* Where files are written: what may stand at an output path, and the file behind a symbolic link.
 */
#ifndef PATH_H
#define PATH_H

#include "mpi/comm/ranks.h"

/* path followed by an ending. Caller frees. */
char *path_with(const char *path, const char *ending);

/* The file that a path leads to through symbolic links, which need not exist; the path itself where
   it is no link. Files that are replaced by renaming (temporary file, .prev) stand beside it.
   Status 2 where links lead in a circle. Local; caller frees. */
char *path_target(const char *path);

/* Does the file exist? Status 4 where the system does not tell (no permission, for instance).
   Local. */
int path_exists(const char *path);

/* Status 2 unless a file can be written at this path and beside it (.prev, .tmp): each is a regular
   file or does not exist, and the name is not too long. Rank 0 looks. Collective. */
void path_check(const struct ranks *r, const char *path);
/* The same for all files of a run. */
void path_check_prefix(const struct ranks *r, const char *prefix);

#endif
