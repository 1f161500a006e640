/* The GPU of the rank, and its two streams. */
#ifndef STREAMS_CUDA_H
#define STREAMS_CUDA_H

#include "cuda/runtime/gpu.h"

BEGIN_C

/* What the device offers. Written by runtime/streams.c. */
struct gpu_device {
  int chained;      /* 1: the device and driver support chained launches (runtime/chain.cuh) */
  int shared_bytes; /* bytes of shared memory of a multiprocessor */
  int multiprocessors;
  char description[320]; /* of backend and device; stored in state files */
};

/* Work is in main, except what runs concurrently with it in side: halo messages, forces of boundary
   beads where there are many, the search for unlisted pairs, and the part of a build that does not
   need the lists. Written by runtime/streams.c. */
struct gpu_streams {
  cudaStream_t main, side; /* side: with the highest priority */
  cudaStream_t side2;      /* for a second part of a build that does not need the lists */
  cudaEvent_t main_event, side_event, side2_event, halo_event;
  cudaEvent_t gather_event; /* in main, after the copy of gather_begin (step/applied.cu) */
  int side_busy;            /* 1: side has work that main does not wait for yet */
  int halo_noted; /* 1: halo_event was recorded after the halo of this step was unpacked, and main
                     does not wait for it yet */
};

void cuda_probe(struct backend_probe *out);
const char *cuda_describe(const struct backend *b);
/* Selects the device and creates the streams. */
void cuda_streams_open(struct gpu *c);
void cuda_streams_close(struct gpu *c);

/* Asynchronous copies and clears in streams->main. */
#define CUDA_TO_DEVICE(c, to, from, bytes)                                                         \
  CUDA(cudaMemcpyAsync((to), (from), (bytes), cudaMemcpyHostToDevice, (c)->streams->main))
#define CUDA_TO_HOST(c, to, from, bytes)                                                           \
  CUDA(cudaMemcpyAsync((to), (from), (bytes), cudaMemcpyDeviceToHost, (c)->streams->main))
#define CUDA_CLEAR(c, p, bytes) CUDA(cudaMemsetAsync((p), 0, (bytes), (c)->streams->main))

/* cuda_fork: side waits for what main has so far. cuda_join: main waits for what side has so far.
   cuda_side_used: notes that side has new work. cuda_join_if_busy: cuda_join if it has. The host
   does not wait. */
void cuda_fork(struct gpu *c);
/* After cuda_fork: side2 waits for main too. Then side waits for side2. */
void cuda_fork_side2(struct gpu *c);
void cuda_join_side2(struct gpu *c);
void cuda_join(struct gpu *c);
void cuda_join_if_busy(struct gpu *c);
void cuda_side_used(struct gpu *c);
/* cuda_halo_note: records halo_event in side, after the halo of the step has been unpacked.
   cuda_halo_join: main waits for that event; if none was recorded, cuda_join_if_busy. */
void cuda_halo_note(struct gpu *c);
void cuda_halo_join(struct gpu *c);

/* Allows a kernel `bytes` of dynamic shared memory per block. Returns 0 if the device has less. */
int cuda_shared_memory(const void *kernel, int64_t bytes);

/* Threads to launch: at most what fits on the device at once, with `room` threads on each
   multiprocessor; each thread loops over its part of the work. */
static inline int64_t cuda_threads_at_once(const struct gpu *c, int64_t threads, int room)
{
  const int64_t most = (int64_t)c->device->multiprocessors * room;
  return threads < most ? threads : most;
}

/* 1 if passes without energies are chained (runtime/chain.cuh): with more than two passes, as
   mixtures have. */
static inline int cuda_passes_chain(const struct gpu *c)
{
  return c->device->chained && c->config.plan->n_passes > 2;
}

END_C

#endif
