/* Device functions that kernels share: indices, errors, sums over a block. */
#ifndef DEVICE_CUDA_CUH
#define DEVICE_CUDA_CUH

#include "cuda/runtime/report.h"
#include "cuda/runtime/streams.h"

/* Launches a kernel with n threads in all, in blocks of `threads`, in streams->main (LAUNCH_ON: in
   a stream). No launch if n is 0. */
#define LAUNCH(kernel, n, threads, c, ...)                                                         \
  LAUNCH_ON((c)->streams->main, kernel, n, threads, __VA_ARGS__)
#define LAUNCH_ON(stream, kernel, n, threads, ...)                                                 \
  LAUNCH_SHARED(kernel, n, threads, 0, stream, __VA_ARGS__)

/* The same with dynamic shared memory, bytes per block. */
#define LAUNCH_SHARED(kernel, n, threads, bytes, stream, ...)                                      \
  do {                                                                                             \
    if ((n) > 0) {                                                                                 \
      kernel<<<launch_blocks((n), (threads)), (threads), (size_t)(bytes), (stream)>>>(             \
          __VA_ARGS__);                                                                            \
      CUDA_LAUNCHED(#kernel);                                                                      \
    }                                                                                              \
  } while (0)

enum { THREADS = 256 };
/* Dynamic shared memory per block, bytes, that a launch may have without
   cudaFuncAttributeMaxDynamicSharedMemorySize: 48 KB with the arrays that a kernel declares, which
   are less than 2 KB. */
enum { SHARED_BYTES = 46 * 1024 };
#define ALL_LANES 0xffffffffu

DEVICE int64_t thread_index(void)
{
  return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* The box for kernels that are compiled twice: for rectangular boxes (OBLIQUE 0), where tilts are a
   constant 0 and leave no instruction, and for all boxes. */
template <int OBLIQUE> DEVICE void box_for(const double from[BOX], double box[BOX])
{
  for (int k = 0; k < BOX; k++)
    box[k] = OBLIQUE || k < 3 ? from[k] : 0;
}

/* 1 if the lists have expired and the host has not drained yet: the kernel must be a no-op. */
DEVICE int is_expired(const struct cuda_report *report)
{
  return *(const volatile uint64_t *)&report->expired_agreed != 0;
}

/* Sets the step at which the lists expire. reduce 1: in expired_local, which the transport reduces
   over ranks. reduce 0 (one rank, or the hosts reduce): in expired_agreed at once. */
DEVICE void lists_expire(struct cuda_report *report, int reduce, int64_t step)
{
  *(reduce ? &report->expired_local : &report->expired_agreed) = (uint64_t)step;
}

/* 1 for the first caller, which then fills in the fault. */
DEVICE int fault_is_first(struct cuda_fault *f)
{
  return atomicCAS(&f->found, 0, 1) == 0;
}

DEVICE void add_int64(int64_t *to, int64_t v)
{
  atomicAdd((unsigned long long *)to, (unsigned long long)v);
}

/* Adds the values of all threads of a block to *to (global memory). Block-collective. */
DEVICE void block_add(int64_t v, int64_t *to)
{
  __shared__ int64_t part[32];
  for (int w = 16; w > 0; w /= 2)
    v += __shfl_down_sync(0xffffffffu, v, w);
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < (int)(blockDim.x / 32); w++)
    v += part[w];
  if (v) add_int64(to, v);
}

/* Up to MOST sums over the threads of a block of at most WARPS warps, in shared memory. They share
   one __syncthreads, since one per sum takes longer than the sums. */
template <int MOST, int WARPS> struct block_sums {
  static_assert(MOST <= 32 * WARPS, "one thread per sum");
  int64_t part[MOST][WARPS];
  int64_t *to[MOST];
};

/* Adds v to sum k, which block_sums_add adds to *to (global memory). Block-collective. */
template <int MOST, int WARPS>
DEVICE void block_sum(struct block_sums<MOST, WARPS> *s, int k, int64_t v, int64_t *to)
{
  for (int w = 16; w > 0; w /= 2)
    v += __shfl_down_sync(0xffffffffu, v, w);
  if (threadIdx.x % 32 == 0) s->part[k][threadIdx.x / 32] = v;
  if (threadIdx.x == 0) s->to[k] = to;
}

/* Adds sums 0 ... n - 1, at most one per thread, to their targets. Block-collective, once. */
template <int MOST, int WARPS>
DEVICE void block_sums_add(const struct block_sums<MOST, WARPS> *s, int n)
{
  int64_t v = 0;
  __syncthreads();
  if ((int)threadIdx.x >= n) return;
  for (int w = 0; w < (int)(blockDim.x / 32); w++)
    v += s->part[threadIdx.x][w];
  if (v) add_int64(s->to[threadIdx.x], v);
}

/* Raises *to (global memory) to the largest v of the warp. Warp-collective. */
DEVICE void warp_max(unsigned long long v, unsigned long long *to)
{
  for (int w = 16; w > 0; w /= 2) {
    unsigned long long other = __shfl_xor_sync(0xffffffffu, v, w);
    v = other > v ? other : v;
  }
  if (threadIdx.x % 32 == 0 && v > *(volatile unsigned long long *)to) atomicMax(to, v);
}

/* The bits of a double >= 0 as an integer: integers compare as the numbers do, and NaN is the
   largest. */
DEVICE unsigned long long ordered_bits(double v)
{
  return (unsigned long long)__double_as_longlong(v);
}

#endif
