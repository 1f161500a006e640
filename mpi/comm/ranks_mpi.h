/* The MPI side of struct ranks, for mpi/ and io/ only. */
#ifndef RANKS_MPI_H
#define RANKS_MPI_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>

#include "mpi/comm/ranks.h"

/* What the main thread does, for the thread of heartbeat.h to see. */
struct pulse {
  atomic_int stepping; /* in a step? */
  atomic_int waits;    /* for another rank, in a call of MPI? */
  atomic_llong count;  /* of steps and waits that have ended */
  atomic_llong alike;  /* of steps, reductions and barriers: the same on all ranks */
  atomic_int steps;    /* that have ended, the list build of the set-up among them; at most 2 */
  atomic_int unknown;  /* heartbeat_device_unknown */
  atomic_int endless;  /* heartbeat_waits_endless */
  pthread_mutex_t device_lock;
  const volatile int32_t *device; /* n_device words that heartbeat_device_waits named */
  int n_device;
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

/* The main thread alone counts. */
static inline void pulse_count_alike(struct pulse *p)
{
  long long alike = atomic_load_explicit(&p->alike, memory_order_relaxed);
  atomic_store_explicit(&p->alike, alike + 1, memory_order_relaxed);
}

/* After ranks_wait_begin, in a call that all ranks make in the same order. */
static inline void ranks_wait_end_alike(const struct ranks *r)
{
  pulse_count_alike(&r->mpi->pulse);
  ranks_wait_end(r);
}

#endif
