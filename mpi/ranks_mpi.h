/* The MPI side of struct ranks, for mpi/ and io/ only. */
#ifndef RANKS_MPI_H
#define RANKS_MPI_H

#include <mpi.h>
#include <stdatomic.h>

#include "ranks.h"

/* What the main thread does, for the thread of heartbeat.h to see. */
struct pulse {
  atomic_int stepping; /* in a step? */
  atomic_int waits;    /* for another rank, in a call of MPI? */
  atomic_llong count;  /* of steps and waits that have ended */
  atomic_int steps;    /* 1: a step has ended */
  atomic_int unknown;  /* heartbeat_device_unknown */
  const volatile int32_t *_Atomic device;
  atomic_int n_device;
};

struct ranks_mpi {
  MPI_Comm comm;    /* all ranks; point-to-point messages of the caller */
  MPI_Comm private; /* all ranks; of ranks.c alone, so that no tag can meet another's */
  MPI_Request maximum;
  double maximum_in, maximum_out;
  struct pulse pulse;
};

MPI_Comm ranks_comm(const struct ranks *r);

/* Around calls of MPI that wait for other ranks. */
static inline void ranks_wait_begin(const struct ranks *r)
{
  atomic_store_explicit(&r->mpi->pulse.waits, 1, memory_order_relaxed);
}

static inline void ranks_wait_end(const struct ranks *r)
{
  struct pulse *p = &r->mpi->pulse;
  long long count = atomic_load_explicit(&p->count, memory_order_relaxed);
  atomic_store_explicit(&p->count, count + 1, memory_order_relaxed);
  atomic_store_explicit(&p->waits, 0, memory_order_relaxed);
}

#endif
