/* How kernels write and wait for the lines of device_lines.h. */
#ifndef DEVICE_LINES_CUH
#define DEVICE_LINES_CUH

#include <cuda/atomic>

#include "backend/device_lines.h"

/* Tells the last of `blocks` blocks from the others: returns 1 in all threads of the block that
   calls this last, else 0. The stores that all of them made before are then visible to that block,
   and after its next release store to every GPU. Every thread of each block calls it once. ended:
   device memory, 0 before the first and after the last call. */
static __device__ __forceinline__ int block_is_last(unsigned *ended, unsigned blocks)
{
  __shared__ int last;
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*ended);
    last = count.fetch_add(1, cuda::memory_order_acq_rel) == blocks - 1;
    if (last) count.store(0, cuda::memory_order_relaxed);
  }
  __syncthreads();
  return last;
}

/* Writes a signal, with all threads of one block. The release store makes its flag, its words and
   all stores that are visible to the block visible to every GPU before the number of the message.
   There is no other fence, since each waits for the stores to other GPUs. */
static __device__ __forceinline__ void lines_write(const struct device_signal &s)
{
  const int k = (int)threadIdx.x, each = (int)blockDim.x, parity = (int)(s.message % 2);
  const int words = s.to.n * s.what.words;
  for (int m = k; m < words; m += each)
    s.to.line[m / s.what.words]->word[parity][m % s.what.words] = s.what.word[m % s.what.words];
  if (words > 0) __syncthreads();
  for (int m = k; m < s.to.n; m += each) {
    struct device_line *line = s.to.line[m];
    line->flag[parity] = s.what.flag ? *(const volatile uint64_t *)s.what.flag : 0;
    cuda::atomic_ref<uint64_t, cuda::thread_scope_system> word(line->message[parity]);
    word.store(s.message, cuda::memory_order_release);
  }
}

static __device__ __forceinline__ uint64_t nanoseconds(void)
{
  uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

/* Waits for the message in line k: 1, or 0 if it is lost. Tells the host of a long wait, so that it
   can tell waiting from hanging. */
static __device__ __forceinline__ int line_await(const struct device_wait &w, int k)
{
  const uint64_t long_wait = 1000000000;
  cuda::atomic_ref<uint64_t, cuda::thread_scope_system> word(
      w.from.line[k]->message[w.message % 2]);
  if (word.load(cuda::memory_order_acquire) >= w.message) return 1;
  volatile int32_t *waits = &w.loss->waits[k];
  uint64_t begin = nanoseconds(), waited = 0;
  while (word.load(cuda::memory_order_acquire) < w.message) {
    if (*(volatile unsigned *)w.lost) return 0;
    uint64_t before = waited;
    waited = nanoseconds() - begin;
    if (before < long_wait && waited >= long_wait) *waits = 1;
    if (waited < w.limit) continue;
    if (atomicExch(w.lost, 1u)) return 0;
    w.loss->message = w.message;
    __threadfence_system();
    *(volatile int32_t *)&w.loss->line = k + 1;
    return 0;
  }
  if (waited >= long_wait) *waits = 0;
  return 1;
}

/* Waits for every line and reduces the flags, with all threads of a block, at least DEVICE_LINES.
   Returns when every thread of the block may read what came with the message, from the L2 cache.
   Several blocks may wait for one message. */
static __device__ __forceinline__ void lines_await(const struct device_wait &w)
{
  const int k = (int)threadIdx.x;
  if (k < w.from.n && line_await(w, k)) {
    const uint64_t flag = *(volatile uint64_t *)&w.from.line[k]->flag[w.message % 2];
    if (w.what.largest && flag > 0)
      atomicMax((unsigned long long *)w.what.largest, (unsigned long long)flag);
  }
  __syncthreads();
}

#endif
