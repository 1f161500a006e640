/* Checks of output paths. */
#ifndef PATH_CHECK_H
#define PATH_CHECK_H

#include "mpi/comm/ranks.h"

/* Dies with STATUS_INPUT unless a file can be written at this path and beside it (.prev, .tmp):
   each must be a regular file or not exist, .tmp also no link of any kind, and the name must not be
   too long. Rank 0 checks. Collective. */
void path_check(const struct ranks *r, const char *path);
/* The same for a file that is not written by MPI-IO, so that its name may be longer. Local: for
   rank 0. */
void path_check_text(const char *path);
/* path_check for all output files of a run. */
void path_check_prefix(const struct ranks *r, const char *prefix);
/* Dies with STATUS_IO if rank 0 may not write in the folder of a path. */
void path_check_folder(const struct ranks *r, const char *path);
/* 1 if two names lead to one file, or would make one. Local. */
int path_same(const char *a, const char *b);
/* Dies with STATUS_INPUT if writing an output would replace a file that is read: the output itself,
   its temporary file (.tmp), the one that keeps what it replaces (.prev) or its lock (.lock) is
   `input`, also by another name or link. what: names the output in the message, as "--output".
   Local: for rank 0. */
void path_spare_input(const char *what, const char *output, const char *input);
/* The same for all output files of a run, if an input is named. checkpoint: 1, also for its
   checkpoint. */
void path_spare_input_prefix(const char *prefix, const char *input, int checkpoint);
/* Dies with STATUS_INPUT if two outputs of one command would be written to one file. Local: for
   rank 0. */
void path_spare_output(const char *what, const char *output, const char *other_what,
                       const char *other);

#endif
