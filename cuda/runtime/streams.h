/* The device of the rank, and the order of its two streams. */
#ifndef STREAMS_CUDA_H
#define STREAMS_CUDA_H

#include "cuda/runtime/gpu.h"

BEGIN_C

/* What the device offers. Written by runtime/streams.c. */
struct gpu_device {
  int chained;      /* 1: a kernel may begin while the one before it ends: runtime/chain.cuh */
  int shared_bytes; /* shared memory of a multiprocessor */
  int multiprocessors;
  char description[320]; /* of backend and device; stored in state files */
};

/* Work is in main, except work that runs concurrently with main: halo messages, forces of boundary
   beads where there are many, the search for unlisted pairs, and the part of a build that does not
   need the lists. Written by runtime/streams.c. */
struct gpu_streams {
  cudaStream_t main, side; /* side: of highest priority */
  cudaEvent_t main_event, side_event, halo_event;
  int side_busy;  /* 1: main does not wait yet for the work in side */
  int halo_noted; /* 1: halo_event tells that the halo of this step has arrived, and main does not
                     wait for it yet */
};

void cuda_probe(struct backend_probe *out);
const char *cuda_describe(const struct backend *b);
/* Chooses the device, and makes the streams. */
void cuda_streams_open(struct gpu *c);
void cuda_streams_close(struct gpu *c);

/* Copies and clears in main. */
#define CUDA_TO_DEVICE(c, to, from, bytes)                                                         \
  CUDA(cudaMemcpyAsync((to), (from), (bytes), cudaMemcpyHostToDevice, (c)->streams->main))
#define CUDA_TO_HOST(c, to, from, bytes)                                                           \
  CUDA(cudaMemcpyAsync((to), (from), (bytes), cudaMemcpyDeviceToHost, (c)->streams->main))
#define CUDA_CLEAR(c, p, bytes) CUDA(cudaMemsetAsync((p), 0, (bytes), (c)->streams->main))

/* cuda_fork: side waits for the work enqueued in main so far. cuda_join: main waits for the work
   enqueued in side so far. cuda_join_if_busy: cuda_join if there is work in side that main does not
   wait for: cuda_side_used says so. The host does not wait. */
void cuda_fork(struct gpu *c);
void cuda_join(struct gpu *c);
void cuda_join_if_busy(struct gpu *c);
void cuda_side_used(struct gpu *c);
/* cuda_halo_note: the work enqueued in side so far unpacks the halo of the step. cuda_halo_join:
   main waits for that, or where it was not noted as by cuda_join_if_busy. */
void cuda_halo_note(struct gpu *c);
void cuda_halo_join(struct gpu *c);

/* Lets a kernel have so many bytes of dynamic shared memory a block; 0: the device has less. */
int cuda_shared_memory(const void *kernel, int64_t bytes);

/* Threads to launch: at most what fits on the device at once, with `room` threads on each
   multiprocessor; each thread loops over its part of the work. */
static inline int64_t cuda_threads_at_once(const struct gpu *c, int64_t threads, int room)
{
  const int64_t most = (int64_t)c->device->multiprocessors * room;
  return threads < most ? threads : most;
}

/* 1 if passes without energies are chained (runtime/chain.cuh): those of mixtures. */
static inline int cuda_passes_chain(const struct gpu *c)
{
  return c->device->chained && c->config.plan->n_passes > 2;
}

END_C

#endif
