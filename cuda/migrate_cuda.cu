/* Beads that change rank, and the counts that slab bounds follow. */
#include <cub/device/device_radix_sort.cuh>
#include <string.h>

#include "log.h"
#include "select_cuda.cuh"

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
  CUDA(cudaMemsetAsync(device, 0, bytes, c->stream));
  LAUNCH(count_bins, b->n, THREADS, c, b->n, axis, bins, c->beads.build_position, device);
  CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, c->stream));
  CUDA(cudaStreamSynchronize(c->stream));
  for (int k = 0; k < bins; k++)
    count[k] += host[k];
  free(host);
}

/* Beads that leave the slab [low, high), or stay in it. */
struct crossing {
  const int32_t *position;
  int axis;
  bool leave;
  uint64_t low, high;
  __device__ bool operator()(int i) const
  {
    uint64_t x = (uint32_t)position[3 * (int64_t)i + axis];
    return (x < low || x >= high) == leave;
  }
};

static __global__ void destinations_set(const int *leaving, const int *index, int axis, int size,
                                        const uint64_t *bound, const int32_t *position, int *to,
                                        int *count)
{
  int64_t k = thread_index();
  if (k >= *leaving) return;
  int owner = slab_owner((uint32_t)position[3 * (int64_t)index[k] + axis], size, bound);
  to[k] = owner;
  atomicAdd(&count[owner], 1);
}

/* c->value: the beads that leave, ascending; c->key: their ranks; on the host how many go to
   each. */
static void leaving_find(struct gpu *c, const struct crossing &leave, int size,
                         const uint64_t *bound, int64_t *count)
{
  int n = c->base.n, *leaving = &c->report->selected[0];
  int *host = (int *)alloc_array(size, sizeof *host);
  size_t bound_bytes = ((size_t)size + 1) * sizeof *bound, bytes = (size_t)size * sizeof *host;
  range_select(c, 0, n, leave, c->value, leaving);
  uint64_t *bounds = (uint64_t *)cuda_scratch(c, (int64_t)(bound_bytes + bytes));
  int *counts = (int *)(bounds + size + 1);
  CUDA(cudaMemcpyAsync(bounds, bound, bound_bytes, cudaMemcpyHostToDevice, c->stream));
  CUDA(cudaMemsetAsync(counts, 0, bytes, c->stream));
  LAUNCH(destinations_set, n, THREADS, c, leaving, c->value, leave.axis, size, bounds,
         leave.position, (int *)c->key, counts);
  CUDA(cudaMemcpyAsync(host, counts, bytes, cudaMemcpyDeviceToHost, c->stream));
  CUDA(cudaStreamSynchronize(c->stream));
  for (int r = 0; r < size; r++)
    count[r] = host[r];
  free(host);
}

/* c->order: the leaving beads by rank, in their order. */
static void leaving_group(struct gpu *c, int leaving, int size)
{
  int *to = (int *)c->key, *sorted = (int *)c->key_sorted, bits = 1;
  size_t bytes = 0;
  while (size >> bits)
    bits++;
  CUDA(cub::DeviceRadixSort::SortPairs(NULL, bytes, to, sorted, c->value, c->order, leaving, 0,
                                       bits, c->stream));
  void *scratch = cuda_scratch(c, (int64_t)bytes);
  CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, to, sorted, c->value, c->order, leaving, 0,
                                       bits, c->stream));
}

/* The last beads that stay take the places of those that leave from among the first kept: there
   are as many, and c->value begins with these places. */
static void gaps_fill(struct gpu *c, struct crossing stay, int kept, int leaving)
{
  int *last = (int *)c->key, *gaps = &c->report->selected[1];
  stay.leave = false;
  range_select(c, kept, leaving, stay, last, gaps);
  cuda_columns_move(c, kept < leaving ? kept : leaving, gaps, c->value, last);
}

const void *cuda_take_leaving(struct backend *b, int axis, int size, const uint64_t *bound,
                              int rank, int64_t *count, int *record)
{
  struct gpu *c = (struct gpu *)b;
  struct crossing leave = {c->beads.build_position, axis, true, bound[rank], bound[rank + 1]};
  int64_t leaving = 0;
  *record = cuda_columns(c).words * 4;
  memset(count, 0, (size_t)size * sizeof *count);
  b->n_halo = 0;
  if (b->n > 0) leaving_find(c, leave, size, bound, count);
  for (int r = 0; r < size; r++)
    leaving += count[r];
  if (leaving > 0) {
    int64_t bytes = leaving * *record;
    if (bytes > c->packed_room)
      cuda_grow(c, (void **)&c->packed, &c->packed_room, bytes + bytes / 4, 0,
                "beads that change rank");
    leaving_group(c, (int)leaving, size);
    cuda_columns_pack(c, (int)leaving, c->order);
  }
  cuda_fork(c);
  if (leaving > 0) gaps_fill(c, leave, b->n - (int)leaving, (int)leaving);
  b->n -= (int)leaving;
  return c->packed;
}

void cuda_append(struct backend *b, const void *record, int64_t n)
{
  struct gpu *c = (struct gpu *)b;
  if (b->n + n > INT32_MAX / 4)
    die(STATUS_INPUT, "more than 2^29 beads on one rank; use more ranks");
  if (n == 0) return;
  cuda_reserve(c, b->n + n);
  cuda_columns_unpack(c, (int)n, b->n, record);
  b->n += (int)n;
}
