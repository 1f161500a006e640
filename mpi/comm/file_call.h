/* A call of HDF5 that writes a file together with the other ranks, as the thread of heartbeat.h
   sees it. HDF5 waits for other ranks in MPI by itself. If a write fails on one rank, HDF5 goes on
   there, and the ranks end in different collective calls that never return. */
#ifndef FILE_CALL_H
#define FILE_CALL_H

#include <stdatomic.h>

struct file_call {
  atomic_int thread;                   /* number of the thread in the call; 0: none is */
  _Atomic(const char *) path;          /* of the file */
  _Atomic(const volatile int *) error; /* errno of that thread */
};

/* Before and after the call, by the thread that makes it. The path must stay valid between them.
   Sets errno to 0. */
void file_call_begin(struct file_call *c, const char *path);
void file_call_end(struct file_call *c);

/* For another thread of the process. */

/* 1 if the call waits for another rank: its thread uses a processor and the process writes nothing.
   MPI polls for messages; a thread that waits for a disk sleeps. writes: number of the process's
   calls that write, when it was last seen to change. */
int file_call_waits(const struct file_call *c, long long *writes);
/* The error that the call met in reading or writing, as errno; 0: none, or it is not known. */
int file_call_error(const struct file_call *c);

#endif
