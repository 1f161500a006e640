/* What is in a state file or trajectory, and whether it is whole. */
#ifndef INFO_H
#define INFO_H

#include "mpi/comm/ranks.h"

/* Prints it to stdout. Returns STATUS_DONE, or STATUS_IO where a trajectory ends in a frame that
   was cut short; dies with STATUS_IO where the file cannot be read. Collective; rank 0 reads. */
int info_print(const struct ranks *r, const char *path);

#endif
