/* The MPI part of struct ranks, for mpi/ and io/ only. */
#ifndef RANKS_MPI_H
#define RANKS_MPI_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>

#include "mpi/comm/file_call.h"
#include "mpi/comm/ranks.h"

/* Progress of the main thread, read by the thread of heartbeat.h. */
struct pulse {
  atomic_int stepping;      /* 1 in a step */
  atomic_int waits;         /* 1 while a call of MPI waits for another rank */
  atomic_llong count;       /* of completed steps and waits */
  atomic_llong collectives; /* of completed steps, reductions and barriers: equal on all ranks
                              that are at the same place */
  atomic_int steps;         /* completed, with the list build of the set-up; at most 2 */
  /* Of the copy of the ranks that writes files, on the main thread or beside it. */
  atomic_int file_waits;   /* as waits */
  atomic_llong file_count; /* of completed waits and calls of HDF5 */
  struct file_call file_call;
  atomic_int unknown; /* heartbeat_device_unknown */
  atomic_int endless; /* heartbeat_waits_endless */
  pthread_mutex_t device_lock;
  const volatile int32_t *device; /* [n_device], from heartbeat_device_waits */
  int n_device;
};

struct ranks_mpi {
  MPI_Comm comm;       /* all ranks; for messages of other modules */
  MPI_Comm private;    /* all ranks; for ranks.c, so that tags cannot collide */
  MPI_Comm self;       /* MPI_COMM_SELF */
  MPI_Comm leaders;    /* after ranks_divide, on the ranks 0 of all groups: these; else
                          MPI_COMM_NULL */
  MPI_Request largest; /* of ranks_largest_start */
  MPI_Op largest_op;
  double largest_in[2], largest_out[2];
  struct pulse pulse;
  struct pulse *watched; /* the pulse that the heartbeat watches: that of the ranks of which these
                            are a copy */
  atomic_int *waits;     /* in *watched: of the main thread, or of the copy */
  atomic_llong *count;
};

/* Creates r->mpi for a communicator, which stays the caller's; collective. */
void ranks_mpi_create(struct ranks *r, MPI_Comm comm);
void ranks_mpi_destroy(struct ranks *r);

MPI_Comm ranks_comm(const struct ranks *r);

/* Call them before and after calls of MPI that wait for other ranks. */
static inline void ranks_wait_begin(const struct ranks *r)
{
  atomic_store_explicit(r->mpi->waits, 1, memory_order_relaxed);
}

static inline void ranks_wait_end(const struct ranks *r)
{
  long long count = atomic_load_explicit(r->mpi->count, memory_order_relaxed);
  atomic_store_explicit(r->mpi->count, count + 1, memory_order_relaxed);
  atomic_store_explicit(r->mpi->waits, 0, memory_order_relaxed);
}

/* Call them before and after calls of HDF5, which may wait for other ranks without
   ranks_wait_begin. The path must stay valid between them. */
void ranks_file_begin(const struct ranks *r, const char *path);
void ranks_file_end(const struct ranks *r);

/* For the main thread only. */
static inline void pulse_count_collective(struct pulse *p)
{
  long long collectives = atomic_load_explicit(&p->collectives, memory_order_relaxed);
  atomic_store_explicit(&p->collectives, collectives + 1, memory_order_relaxed);
}

/* Instead of ranks_wait_end, after calls that all ranks make in the same order. */
static inline void ranks_wait_end_collective(const struct ranks *r)
{
  pulse_count_collective(&r->mpi->pulse);
  ranks_wait_end(r);
}

#endif
