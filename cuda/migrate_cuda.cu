/* Beads that change rank, and the counts that slab bounds follow. */
#include "device_cuda.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <string.h>

#include "log.h"

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

/* 0 for a bead that stays, else 1 + its rank. */
static __global__ void destinations_set(int n, int axis, int size, const uint64_t *bound, int rank,
                                        const int32_t *position, int *to, int *value)
{
  int64_t i = thread_index();
  if (i >= n) return;
  int owner = slab_owner((uint32_t)position[3 * i + axis], size, bound);
  to[i] = owner == rank ? 0 : owner + 1;
  value[i] = (int)i;
}

/* first[d]: the first bead whose destination is not below d, for d up to size + 1. */
static __global__ void destinations_count(int n, int size, const int *to, int *first)
{
  int d = (int)thread_index(), low = 0, high = n;
  if (d > size + 1) return;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (to[middle] < d)
      low = middle + 1;
    else
      high = middle;
  }
  first[d] = low;
}

/* Sorts beads by destination, keeping their order: c->order, and on the host the first of each. */
static void destinations_sort(struct gpu *c, int axis, int size, const uint64_t *bound, int rank,
                              int *first)
{
  int n = c->base.n, bits = 1;
  int *to = (int *)c->key, *sorted = (int *)c->key_sorted;
  size_t bytes = 0, bound_bytes = ((size_t)size + 1) * sizeof *bound;
  size_t first_bytes = ((size_t)size + 2) * sizeof *first;
  while ((size + 1) >> bits)
    bits++;
  CUDA(cub::DeviceRadixSort::SortPairs(NULL, bytes, to, sorted, c->value, c->order, n, 0, bits,
                                       c->stream));
  char *scratch = (char *)cuda_scratch(c, (int64_t)(bound_bytes + first_bytes + bytes) + 512);
  uint64_t *bounds = (uint64_t *)scratch;
  int *firsts = (int *)(scratch + bound_bytes);
  void *sorting = scratch + (bound_bytes + first_bytes + 255) / 256 * 256;
  CUDA(cudaMemcpyAsync(bounds, bound, bound_bytes, cudaMemcpyHostToDevice, c->stream));
  LAUNCH(destinations_set, n, THREADS, c, n, axis, size, bounds, rank, c->beads.build_position, to,
         c->value);
  if (n > 0)
    CUDA(cub::DeviceRadixSort::SortPairs(sorting, bytes, to, sorted, c->value, c->order, n, 0, bits,
                                         c->stream));
  LAUNCH(destinations_count, size + 2, THREADS, c, n, size, sorted, firsts);
  CUDA(cudaMemcpyAsync(first, firsts, first_bytes, cudaMemcpyDeviceToHost, c->stream));
  CUDA(cudaStreamSynchronize(c->stream));
}

static void packed_reserve(struct gpu *c, int64_t bytes)
{
  if (bytes > c->packed_room)
    cuda_grow(c, (void **)&c->packed, &c->packed_room, bytes + bytes / 4, 0,
              "beads that change rank");
}

const void *cuda_take_leaving(struct backend *b, int axis, int size, const uint64_t *bound,
                              int rank, int64_t *count, int *record)
{
  struct gpu *c = (struct gpu *)b;
  int *first = (int *)alloc_array(size + 2, sizeof *first);
  *record = cuda_columns(c).words * 4;
  destinations_sort(c, axis, size, bound, rank, first);
  for (int r = 0; r < size; r++)
    count[r] = first[r + 2] - first[r + 1];
  int kept = first[1], leaving = b->n - kept;
  free(first);
  b->n_halo = 0;
  if (leaving == 0) return c->leaving;
  int64_t bytes = (int64_t)leaving * *record;
  packed_reserve(c, bytes);
  if (bytes > c->leaving_room) {
    c->leaving_room = bytes * 5 / 4;
    c->leaving = (char *)grow_array(c->leaving, c->leaving_room, 1);
  }
  cuda_columns_pack(c, leaving, c->order + kept);
  CUDA(cudaMemcpyAsync(c->leaving, c->packed, (size_t)bytes, cudaMemcpyDeviceToHost, c->stream));
  cuda_columns_gather(c, kept);
  CUDA(cudaStreamSynchronize(c->stream));
  b->n = kept;
  return c->leaving;
}

void cuda_append(struct backend *b, const void *record, int64_t n)
{
  struct gpu *c = (struct gpu *)b;
  int64_t bytes = n * cuda_columns(c).words * 4;
  if (b->n + n > INT32_MAX / 4)
    die(STATUS_INPUT, "more than 2^29 beads on one rank; use more ranks");
  if (n == 0) return;
  cuda_reserve(c, b->n + n);
  packed_reserve(c, bytes);
  CUDA(cudaMemcpyAsync(c->packed, record, (size_t)bytes, cudaMemcpyHostToDevice, c->stream));
  cuda_columns_unpack(c, (int)n, b->n);
  CUDA(cudaStreamSynchronize(c->stream));
  b->n += (int)n;
}
