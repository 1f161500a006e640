/* The algorithms of CUB that lists and messages use, in a file of their own, since CUB takes long
   to compile. */
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "cuda/lists/sort.h"
#include "cuda/runtime/chain.cuh"
#include "cuda/runtime/memory.h"

/* Calls an algorithm of CUB twice: to ask for the size of its temporary storage, and to run it. */
template <class Algorithm> static void with_scratch(struct gpu *c, const Algorithm &algorithm)
{
  size_t bytes = 0;
  CUDA(algorithm(NULL, bytes));
  void *scratch = cuda_scratch(c, (int64_t)bytes);
  CUDA(algorithm(scratch, bytes));
}

/* Each block adds what comes before its values itself, which takes less time than a second kernel
   while there are few blocks. */
static __global__ __launch_bounds__(SUM_THREADS) void sum_few(int n, const int *from, int *to)
{
  __shared__ int below[32], within[32]; /* by warp: earlier values; values of this block */
  const int me = (int)threadIdx.x, lane = me % 32, warp = me / 32;
  const int first = (int)blockIdx.x * SUM_THREADS, k = first + me;
  int before = 0;
  chain_both();
  const int mine = k < n ? from[k] : 0;
  int sum = mine;
  for (int j = me; j < first; j += SUM_THREADS)
    before += from[j];
  for (int d = 1; d < 32; d *= 2) {
    const int lower = __shfl_up_sync(ALL_LANES, sum, d);
    if (lane >= d) sum += lower;
  }
  before = __reduce_add_sync(ALL_LANES, before);
  if (lane == 31) {
    below[warp] = before;
    within[warp] = sum;
  }
  __syncthreads();
  const int all = __reduce_add_sync(ALL_LANES, below[lane] + (lane < warp ? within[lane] : 0));
  if (k < n) to[k] = all + sum - mine;
}

void cuda_sum_before(struct gpu *c, const int *from, int *to, int n, cudaStream_t stream)
{
  struct chained_launch how = chain_in_main(c, n, SUM_THREADS, 1);
  if (n <= SUM_FEW_MOST) {
    how.stream = stream;
    launch_chained(how, sum_few, n, from, to);
    return;
  }
  with_scratch(c, [&](void *scratch, size_t &bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, from, to, n, stream);
  });
}

template <class Key>
static void keys_sort(struct gpu *c, const Key *key, Key *sorted, int n, int bits,
                      cudaStream_t stream)
{
  with_scratch(c, [&](void *scratch, size_t &bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, key, sorted, c->sorting->value,
                                           c->sorting->order, n, 0, bits, stream);
  });
}

void cuda_sort_keys(struct gpu *c, int n, int bits, cudaStream_t stream)
{
  keys_sort(c, c->sorting->key, c->sorting->key_sorted, n, bits, stream);
}

void cuda_sort_groups(struct gpu *c, int n, int bits, cudaStream_t stream)
{
  keys_sort(c, c->sorting->group, c->sorting->group_sorted, n, bits, stream);
}

/* Predicate: the only peer of the domain needs owned bead i in its halo. */
struct near_peer {
  struct domain domain;
  const int32_t *position;
  __device__ bool operator()(int i) const
  {
    return domain_is_near(&domain, 0, position + 3 * (int64_t)i);
  }
};

void cuda_select_near(struct gpu *c, const struct domain *domain, int *out, int *count)
{
  const struct near_peer near = {*domain, c->arrays->beads.build_position};
  const thrust::counting_iterator<int> beads(0);
  with_scratch(c, [&](void *scratch, size_t &bytes) {
    return cub::DeviceSelect::If(scratch, bytes, beads, out, count, c->base.n, near,
                                 c->streams->main);
  });
}
