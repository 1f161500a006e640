/* Names of files, and resolution of symbolic links. Local. */
#ifndef PATH_H
#define PATH_H

#include <stdio.h>

/* path + ending. Caller frees. */
char *path_with(const char *path, const char *ending);

/* 1 if the path ends in a suffix, as ".h5", in any case, and is longer. */
int path_ends(const char *path, const char *suffix);
/* path + ending, without the suffix if it has it. Caller frees. */
char *path_instead(const char *path, const char *suffix, const char *ending);

/* The name of a run file without its folder and its ending .yaml or .yml. Caller frees. */
char *path_run_name(const char *file);

/* Resolves symbolic links; the target need not exist. Returns a copy of the path if it is no link.
   Files replaced by renaming (temporary file, .prev) are beside the target. Dies with STATUS_INPUT
   on circular links. Caller frees. */
char *path_target(const char *path);

/* 1 if the file exists, 0 if not. Dies with STATUS_IO if that cannot be found out (for example, no
   permission). */
int path_exists(const char *path);

/* Opens a temporary file to write, empty. Does not follow a link, writes into no file that has
   another name, and does not wait for the reader of a FIFO. NULL with errno if that fails. */
FILE *path_create(const char *temporary);
#endif
