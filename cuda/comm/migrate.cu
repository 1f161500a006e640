/* Beads that change rank, and the counts that slab bounds follow. */
#include <stdlib.h>
#include <string.h>

#include "backend/domain.h"
#include "base/log.h"
#include "cuda/runtime/device.cuh"

static __global__ void count_bins(int n, int axis, int bins, const int32_t *position,
                                  unsigned long long *count)
{
  int64_t i = thread_index();
  if (i < n)
    atomicAdd(&count[(uint64_t)(uint32_t)position[3 * i + axis] * (uint64_t)bins >> 32], 1ull);
}

void cuda_histogram(struct backend *b, int axis, int bins, int64_t *count)
{
  struct gpu *c = (struct gpu *)b;
  size_t bytes = (size_t)bins * sizeof(unsigned long long);
  unsigned long long *device = (unsigned long long *)cuda_scratch(c, (int64_t)bytes);
  int64_t *host = (int64_t *)alloc_array(bins, sizeof *host);
  CUDA(cudaMemsetAsync(device, 0, bytes, c->streams.main));
  LAUNCH(count_bins, b->n, THREADS, c, b->n, axis, bins, c->arrays.beads.build_position, device);
  CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, c->streams.main));
  CUDA(cudaStreamSynchronize(c->streams.main));
  for (int k = 0; k < bins; k++)
    count[k] += host[k];
  free(host);
}

struct slab_bounds {
  int axis, rank, size;
  const uint64_t *bound;
};

/* A bead that leaves: to which rank, and as which of those that do. */
struct leaving {
  int bead, to, number;
};

/* Beads outside the slab, in any order, for they will be sorted; how many go to each rank, and
   after these in all. */
static __global__ void leaving_find(int n, struct slab_bounds s, const int32_t *position,
                                    struct leaving *leaving, int *count)
{
  const int64_t i = thread_index();
  if (i >= n) return;
  const uint32_t x = (uint32_t)position[3 * i + s.axis];
  if (x >= s.bound[s.rank] && x < s.bound[s.rank + 1]) return;
  struct leaving l;
  l.bead = (int)i;
  l.to = slab_owner(x, s.size, s.bound);
  l.number = atomicAdd(&count[l.to], 1);
  leaving[atomicAdd(&count[s.size], 1)] = l;
}

static __global__ void leaving_order(struct slab_bounds s, const struct leaving *leaving,
                                     const int *count, int *order)
{
  const int64_t k = thread_index();
  if (k >= count[s.size]) return;
  int at = leaving[k].number;
  for (int r = 0; r < leaving[k].to; r++)
    at += count[r];
  order[at] = leaving[k].bead;
}

/* c->sorting.order: the leaving beads by rank; on the host how many go to each. */
static int leaving_take(struct gpu *c, const uint64_t *bound, struct slab_bounds s, int64_t *count)
{
  const int n = c->base.n;
  int *host = (int *)alloc_array(s.size + 1, sizeof *host), leaving;
  const size_t bound_bytes = ((size_t)s.size + 1) * sizeof *bound,
               bytes = ((size_t)s.size + 1) * sizeof *host;
  char *scratch =
      (char *)cuda_scratch(c, (int64_t)(bound_bytes + bytes + (size_t)n * sizeof(struct leaving)));
  int *counts = (int *)(scratch + bound_bytes);
  struct leaving *found = (struct leaving *)(counts + s.size + 1);
  s.bound = (const uint64_t *)scratch;
  CUDA(cudaMemcpyAsync(scratch, bound, bound_bytes, cudaMemcpyHostToDevice, c->streams.main));
  CUDA(cudaMemsetAsync(counts, 0, bytes, c->streams.main));
  LAUNCH(leaving_find, n, THREADS, c, n, s, c->arrays.beads.build_position, found, counts);
  CUDA(cudaMemcpyAsync(host, counts, bytes, cudaMemcpyDeviceToHost, c->streams.main));
  CUDA(cudaStreamSynchronize(c->streams.main));
  for (int r = 0; r < s.size; r++)
    count[r] = host[r];
  leaving = host[s.size];
  LAUNCH(leaving_order, leaving, THREADS, c, s, found, counts, c->sorting.order);
  free(host);
  return leaving;
}

const void *cuda_pack_migrants(struct backend *b, int axis, int size, const uint64_t *bound,
                               int rank, int64_t *count, int *record)
{
  struct gpu *c = (struct gpu *)b;
  const struct slab_bounds s = {axis, rank, size, NULL};
  *record = cuda_columns(c).words * 4;
  memset(count, 0, (size_t)size * sizeof *count);
  b->n_halo = 0;
  c->halo.slab.axis = axis;
  c->halo.slab.size = size;
  c->halo.slab.bound[0] = bound[rank];
  c->halo.slab.bound[1] = bound[rank + 1];
  if (b->n > 0) c->sorting.n_migrated = leaving_take(c, bound, s, count);
  if (c->sorting.n_migrated > 0) {
    int64_t bytes = (int64_t)c->sorting.n_migrated * *record;
    if (bytes > c->halo.migrants_room)
      cuda_grow(c, (void **)&c->halo.migrants, &c->halo.migrants_room, bytes + bytes / 4, 0,
                "beads that change rank");
    cuda_columns_take(c, c->sorting.n_migrated, c->sorting.order);
  }
  cuda_fork(c);
  b->n -= c->sorting.n_migrated;
  return c->halo.migrants;
}

void cuda_unpack_migrants(struct backend *b, const void *record, int64_t n)
{
  struct gpu *c = (struct gpu *)b;
  if (b->n + c->sorting.n_migrated + n > INT32_MAX / 4)
    die(STATUS_INPUT, "more than 2^29 beads on one rank; use more ranks");
  if (n == 0) return;
  cuda_join(c);
  if (c->sorting.n_migrated > 0 && b->n + c->sorting.n_migrated + n > c->arrays.room)
    cuda_drop_gone(c); /* before more is asked for */
  cuda_reserve(c, b->n + c->sorting.n_migrated + n);
  cuda_columns_unpack(c, (int)n, b->n + c->sorting.n_migrated, record);
  b->n += (int)n;
}
