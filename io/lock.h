/* One job writes the files of a prefix at a time: parallel HDF5 itself would let two in. */
#ifndef LOCK_H
#define LOCK_H

#include "mpi/comm/ranks.h"

/* Locks prefix.lock until lock_release or the end of the program, however it ends. Status 4 where
   another job has it, with its host, process and Slurm job; status 2 where the name is that of a
   directory, link or device. Where the file system has no locks, says so and goes on, unless the
   process that the file names lives on this host. Collective; the
   result is for lock_release. */
int lock_take(const struct ranks *r, const char *prefix);
void lock_release(const struct ranks *r, const char *prefix, int lock);

#endif
