/* Kernels of the transports. */
#include "device_signal.h"

#include <cuda/atomic>

#include "log.h"

extern "C" {
#include "device_memory.h"
}

using system_word = cuda::atomic_ref<uint64_t, cuda::thread_scope_system>;

static void launched(const char *what)
{
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    die(STATUS_NUMERIC, "%s of a halo message: %s", what, cudaGetErrorString(error));
}

/* The kernels that packed have ended before this one began; the fence and the release order what
   they stored before the words, for every GPU. */
static __global__ void set_words(const __grid_constant__ struct device_words w, uint64_t value)
{
  int k = (int)threadIdx.x;
  if (k >= w.n) return;
  __threadfence_system();
  system_word(*w.word[k]).store(value, cuda::memory_order_release);
}

void device_signal(struct device_words w, uint64_t value, void *stream)
{
  set_words<<<1, DEVICE_WORDS, 0, (cudaStream_t)stream>>>(w, value);
  launched("the signal");
}

static __device__ __forceinline__ uint64_t nanoseconds(void)
{
  uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

static __global__ void await_words(const __grid_constant__ struct device_words w, uint64_t value,
                                   uint64_t limit, unsigned *lost, struct device_loss *loss)
{
  int k = (int)threadIdx.x;
  if (k >= w.n) return;
  system_word word(*w.word[k]);
  if (word.load(cuda::memory_order_acquire) >= value) return;
  uint64_t begin = nanoseconds();
  while (word.load(cuda::memory_order_acquire) < value) {
    if (*(volatile unsigned *)lost) return;
    if (nanoseconds() - begin < limit) continue;
    if (atomicExch(lost, 1u)) return;
    loss->value = value;
    __threadfence_system();
    *(volatile int32_t *)&loss->word = k + 1;
    return;
  }
}

void device_await(struct device_words w, uint64_t value, int seconds, unsigned *lost,
                  struct device_loss *loss, void *stream)
{
  await_words<<<1, DEVICE_WORDS, 0, (cudaStream_t)stream>>>(
      w, value, (uint64_t)seconds * 1000000000u, lost, loss);
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
