/* Lock that lets one job at a time write the files of a prefix; parallel HDF5 would let two. */
#ifndef LOCK_H
#define LOCK_H

#include "mpi/comm/ranks.h"

/* Takes prefix.lock until lock_release or the end of the process. Returns a handle for
   lock_release. Dies with STATUS_IO if another job holds it (naming its host, process and Slurm
   job), and with STATUS_INPUT if the name is a directory, link or device. If the file system has no
   locks, warns and continues, unless the process that the file names is alive on this host.
   Collective. */
int lock_take(const struct ranks *r, const char *prefix);
void lock_release(const struct ranks *r, const char *prefix, int lock);

#endif
