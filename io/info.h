/* Summary and full check of a state file or trajectory. */
#ifndef INFO_H
#define INFO_H

#include "mpi/comm/ranks.h"

/* Reads the whole file and prints a summary to stdout. Returns STATUS_DONE, or STATUS_IO if the
   last frame of a trajectory is incomplete; dies with STATUS_IO if the file cannot be read. Rank 0
   reads. Collective. */
int info_print(const struct ranks *r, const char *path);

#endif
