#include "mpi/transport/device_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "config.h"
#include "mpi/comm/ranks_mpi.h"

int devices_ranks_most(const struct device_uuid *device, int n)
{
  int most = 0;
  for (int k = 0; k < n; k++) {
    int ranks = 0;
    for (int m = 0; m < n; m++)
      ranks += memcmp(&device[m], &device[k], sizeof *device) == 0;
    if (ranks > most) most = ranks;
  }
  return most;
}

int devices_shared(const struct ranks *r)
{
  MPI_Comm node;
  int n;
  const struct device_uuid mine = device_uuid();
  MPI_Comm_split(ranks_comm(r), r->node, r->rank, &node);
  MPI_Comm_size(node, &n);
  struct device_uuid *device = alloc_array(n, sizeof *device);
  MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, device, (int)sizeof mine, MPI_BYTE, node);
  MPI_Comm_free(&node);
  int64_t most = devices_ranks_most(device, n);
  free(device);
  ranks_max_int64(r, &most, 1);
  return (int)most;
}

#ifdef HAVE_CUDA
#include <cuda_runtime.h>

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

int devices_work(void)
{
  int devices = 0;
  cudaError_t error = cudaGetDeviceCount(&devices);
  for (int k = 0; k < devices && error == cudaSuccess; k++) {
    error = cudaSetDevice(k);
    if (error == cudaSuccess) error = cudaFree(NULL); /* makes a context */
  }
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error == cudaSuccess && devices > 0;
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
#pragma GCC diagnostic ignored "-Wunused-parameter"
static _Noreturn void refuse(void)
{
  die(STATUS_INPUT, "this program was built without CUDA");
}

struct device_uuid device_uuid(void)
{
  refuse();
}

int devices_work(void)
{
  return 0;
}

void *device_grow(void *old, int64_t bytes)
{
  refuse();
}

void *pinned_grow(void *old, int64_t bytes)
{
  refuse();
}

void device_free(void *p)
{
  refuse();
}

void pinned_free(void *p)
{
  refuse();
}

void device_copy(void *to, const void *from, int64_t bytes, void *stream)
{
  refuse();
}

void device_wait(void *stream)
{
  refuse();
}

void device_store(void *to, const void *from, int64_t bytes, void *stream)
{
  refuse();
}

void device_signal(const struct device_signal *s, void *stream)
{
  refuse();
}

void device_await(const struct device_wait *w, void *stream)
{
  refuse();
}
#endif
