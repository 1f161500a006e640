/* Output paths: checks, and resolution of symbolic links. */
#ifndef PATH_H
#define PATH_H

#include "mpi/comm/ranks.h"

/* path + ending. Caller frees. */
char *path_with(const char *path, const char *ending);

/* Resolves symbolic links; the target need not exist. Returns a copy of the path if it is no link.
   Files replaced by renaming (temporary file, .prev) are beside the target. Dies with STATUS_INPUT
   on circular links. Local; caller frees. */
char *path_target(const char *path);

/* 1 if the file exists, 0 if not. Dies with STATUS_IO if that cannot be found out (for example, no
   permission). Local. */
int path_exists(const char *path);

/* Dies with STATUS_INPUT unless a file can be written at this path and beside it (.prev, .tmp):
   each must be a regular file or not exist, and the name must not be too long. Rank 0 checks.
   Collective. */
void path_check(const struct ranks *r, const char *path);
/* The same for all output files of a run. */
void path_check_prefix(const struct ranks *r, const char *prefix);
/* Dies with STATUS_IO if rank 0 may not write in the folder of a path. */
void path_check_folder(const struct ranks *r, const char *path);
/* Dies with STATUS_INPUT if an output path leads to the file `input`, also by another name.
   Collective. */
void path_refuse_input(const struct ranks *r, const char *input, const char *path);

#endif
