/* Kernels by which a GPU tells a peer that a halo message is complete, and waits for the messages
   of its peers: see device_memory.h. */
#include "mpi/transport/device_memory.h"

#include "backend/device_lines.cuh"
#include "base/log.h"

static void launched(const char *what)
{
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    die(STATUS_NUMERIC, "%s of a halo message: %s", what, cudaGetErrorString(error));
}

/* The packing kernels have ended before this one begins. */
static __global__ void signal_write(const __grid_constant__ struct device_signal s)
{
  lines_write(s);
}

void device_signal(const struct device_signal *s, void *stream)
{
  signal_write<<<1, DEVICE_LINES, 0, (cudaStream_t)stream>>>(*s);
  launched("the signal");
}

static __global__ void signal_await(const __grid_constant__ struct device_wait w)
{
  lines_await(w);
  for (int m = (int)threadIdx.x; m < w.what.words; m += DEVICE_LINES) {
    uint64_t sum = 0;
    for (int r = 0; r < w.from.n; r++)
      sum += (uint64_t) * (volatile int64_t *)&w.from.line[r]->word[w.message % 2][m];
    w.what.sum[m] = (int64_t)sum;
  }
}

void device_await(const struct device_wait *w, void *stream)
{
  signal_await<<<1, DEVICE_LINES, 0, (cudaStream_t)stream>>>(*w);
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
