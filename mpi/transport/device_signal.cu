/* Kernels by which a GPU tells a peer that a halo message is complete, and waits for the messages
   of its peers: see device_signal.h. */
#include "mpi/transport/device_signal.h"

#include <cuda/atomic>

#include "base/log.h"

extern "C" {
#include "mpi/transport/device_memory.h"
}

using system_word = cuda::atomic_ref<uint64_t, cuda::thread_scope_system>;

static void launched(const char *what)
{
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    die(STATUS_NUMERIC, "%s of a halo message: %s", what, cudaGetErrorString(error));
}

/* The packing kernels have ended before this one begins. The fences and the release store make
   their data and the words visible to every GPU before the number of the message. */
static __global__ void lines_set(const __grid_constant__ struct device_lines to, uint64_t message,
                                 struct device_post what)
{
  int k = (int)threadIdx.x, parity = (int)(message % 2);
  if (what.words > 0) {
    for (int m = k; m < to.n * what.words; m += DEVICE_LINES)
      to.line[m / what.words]->word[parity][m % what.words] = what.word[m % what.words];
    __threadfence_system();
    __syncthreads();
  }
  if (k >= to.n) return;
  to.line[k]->flag[parity] = what.flag ? *what.flag : 0;
  __threadfence_system();
  system_word(to.line[k]->message[parity]).store(message, cuda::memory_order_release);
}

void device_signal(struct device_lines to, uint64_t message, struct device_post what, void *stream)
{
  lines_set<<<1, DEVICE_LINES, 0, (cudaStream_t)stream>>>(to, message, what);
  launched("the signal");
}

static __device__ __forceinline__ uint64_t nanoseconds(void)
{
  uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

/* Waits for a message: 1, or 0 if it is lost. Tells the host of a long wait, so that it can tell
   waiting from hanging. */
static __device__ int line_await(struct device_line *line, uint64_t message, uint64_t limit,
                                 unsigned *lost, struct device_loss *loss)
{
  const uint64_t long_wait = 1000000000;
  system_word word(line->message[message % 2]);
  if (word.load(cuda::memory_order_acquire) >= message) return 1;
  volatile int32_t *waits = &loss->waits[threadIdx.x];
  uint64_t begin = nanoseconds(), waited = 0;
  while (word.load(cuda::memory_order_acquire) < message) {
    if (*(volatile unsigned *)lost) return 0;
    uint64_t before = waited;
    waited = nanoseconds() - begin;
    if (before < long_wait && waited >= long_wait) *waits = 1;
    if (waited < limit) continue;
    if (atomicExch(lost, 1u)) return 0;
    loss->message = message;
    __threadfence_system();
    *(volatile int32_t *)&loss->line = (int)threadIdx.x + 1;
    return 0;
  }
  if (waited >= long_wait) *waits = 0;
  return 1;
}

static __global__ void lines_await(const __grid_constant__ struct device_lines from,
                                   uint64_t message, struct device_reduction what, uint64_t limit,
                                   unsigned *lost, struct device_loss *loss)
{
  int k = (int)threadIdx.x, parity = (int)(message % 2);
  if (k < from.n && line_await(from.line[k], message, limit, lost, loss)) {
    uint64_t flag = *(volatile uint64_t *)&from.line[k]->flag[parity];
    if (what.largest && flag > 0)
      atomicMax((unsigned long long *)what.largest, (unsigned long long)flag);
  }
  if (what.words == 0) return;
  __syncthreads();
  for (int m = k; m < what.words; m += DEVICE_LINES) {
    uint64_t sum = 0;
    for (int r = 0; r < from.n; r++)
      sum += (uint64_t) * (volatile int64_t *)&from.line[r]->word[parity][m];
    what.sum[m] = (int64_t)sum;
  }
}

void device_await(struct device_lines from, uint64_t message, struct device_reduction what,
                  int seconds, unsigned *lost, struct device_loss *loss, void *stream)
{
  lines_await<<<1, DEVICE_LINES, 0, (cudaStream_t)stream>>>(
      from, message, what, seconds > 0 ? (uint64_t)seconds * 1000000000u : UINT64_MAX, lost, loss);
  launched("the wait");
}

static __global__ void store(char *to, const char *from, int64_t bytes)
{
  int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  int64_t stride = (int64_t)gridDim.x * blockDim.x, vectors = bytes / 16;
  for (int64_t m = first; m < vectors; m += stride)
    ((int4 *)to)[m] = ((const int4 *)from)[m];
  for (int64_t m = 16 * vectors + first; m < bytes; m += stride)
    to[m] = from[m];
}

void device_store(void *to, const void *from, int64_t bytes, void *stream)
{
  if (bytes == 0) return;
  store<<<32, 256, 0, (cudaStream_t)stream>>>((char *)to, (const char *)from, bytes);
  launched("a store");
}
