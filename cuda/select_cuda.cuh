/* Selection of beads in their order. */
#ifndef SELECT_CUDA_CUH
#define SELECT_CUDA_CUH

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "device_cuda.cuh"

/* Those of n beads that are wanted, and, in device memory, how many; n > 0. */
template <typename Beads, typename Wanted>
static void beads_select(struct gpu *c, Beads beads, int n, Wanted wanted, int *out, int *count)
{
  size_t bytes = 0;
  CUDA(cub::DeviceSelect::If(NULL, bytes, beads, out, count, n, wanted, c->stream));
  void *scratch = cuda_scratch(c, (int64_t)bytes);
  CUDA(cub::DeviceSelect::If(scratch, bytes, beads, out, count, n, wanted, c->stream));
}

/* The same out of the beads first, first + 1, ... */
template <typename Wanted>
static void range_select(struct gpu *c, int first, int n, Wanted wanted, int *out, int *count)
{
  beads_select(c, thrust::counting_iterator<int>(first), n, wanted, out, count);
}

#endif
