#include "mpi/transport/device_memory.h"

#include "base/log.h"
#include "config.h"

#ifdef HAVE_CUDA
#include <cuda_runtime.h>
#include <string.h>

static void check(cudaError_t error, const char *what, int64_t bytes)
{
  if (error == cudaSuccess) return;
  die(error == cudaErrorMemoryAllocation ? STATUS_INPUT : STATUS_NUMERIC,
      "%s of %lld bytes for halo messages: %s", what, (long long)bytes, cudaGetErrorString(error));
}

static struct device_uuid uuid_of(int device)
{
  struct cudaDeviceProp about;
  struct device_uuid uuid;
  check(cudaGetDeviceProperties(&about, device), "a look at a GPU, memory", 0);
  memcpy(&uuid, &about.uuid, sizeof uuid);
  return uuid;
}

struct device_uuid device_uuid(void)
{
  int device;
  check(cudaGetDevice(&device), "a look at the GPU, memory", 0);
  return uuid_of(device);
}

int device_is_visible(const struct device_uuid *uuid)
{
  int devices = 0, found = 0;
  check(cudaGetDeviceCount(&devices), "counting GPUs, memory", 0);
  for (int k = 0; k < devices; k++) {
    const struct device_uuid one = uuid_of(k);
    found |= memcmp(&one, uuid, sizeof one) == 0;
  }
  return found;
}

void *device_grow(void *old, int64_t bytes)
{
  void *p = NULL;
  check(cudaFree(old), "freeing GPU memory", 0);
  check(cudaMalloc(&p, (size_t)bytes), "GPU memory", bytes);
  return p;
}

void *pinned_grow(void *old, int64_t bytes)
{
  void *p = NULL;
  check(cudaFreeHost(old), "freeing pinned memory", 0);
  check(cudaMallocHost(&p, (size_t)bytes), "pinned memory", bytes);
  return p;
}

void device_free(void *p)
{
  check(cudaFree(p), "freeing GPU memory", 0);
}

void pinned_free(void *p)
{
  check(cudaFreeHost(p), "freeing pinned memory", 0);
}

void device_copy(void *to, const void *from, int64_t bytes, void *stream)
{
  if (bytes > 0)
    check(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDefault, (cudaStream_t)stream), "copy",
          bytes);
}

void device_wait(void *stream)
{
  check(cudaStreamSynchronize((cudaStream_t)stream), "waiting for the GPU, copies", 0);
}
#else
static _Noreturn void refuse(void)
{
  die(STATUS_INPUT, "this program was built without CUDA");
}

struct device_uuid device_uuid(void)
{
  refuse();
}

int device_is_visible(const struct device_uuid *uuid)
{
  (void)uuid;
  refuse();
}

void *device_grow(void *old, int64_t bytes)
{
  (void)old;
  (void)bytes;
  refuse();
}

void *pinned_grow(void *old, int64_t bytes)
{
  (void)old;
  (void)bytes;
  refuse();
}

void device_free(void *p)
{
  (void)p;
  refuse();
}

void pinned_free(void *p)
{
  (void)p;
  refuse();
}

void device_copy(void *to, const void *from, int64_t bytes, void *stream)
{
  (void)to;
  (void)from;
  (void)bytes;
  (void)stream;
  refuse();
}

void device_store(void *to, const void *from, int64_t bytes, void *stream)
{
  (void)to;
  (void)from;
  (void)bytes;
  (void)stream;
  refuse();
}

void device_wait(void *stream)
{
  (void)stream;
  refuse();
}
#endif
