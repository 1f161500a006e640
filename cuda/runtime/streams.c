#include "cuda/runtime/streams.h"

#include <stdio.h>

#include "cuda/runtime/memory.h"
#include "input/param.h"

static void devices_list(int n, char *out, size_t size)
{
  struct cudaDeviceProp prop;
  size_t used = 0;
  for (int k = 0; k < n && used < size; k++) {
    if (cudaGetDeviceProperties(&prop, k) != cudaSuccess) continue;
    used += (size_t)snprintf(out + used, size - used,
                             "  GPU %d: %s, compute capability %d.%d, %.0f GiB\n", k, prop.name,
                             prop.major, prop.minor, (double)prop.totalGlobalMem / 1073741824.0);
  }
}

void cuda_probe(struct backend_probe *out)
{
  int devices;
  const char *why = cuda_why_not(&devices);
  out->usable = !why;
  if (why)
    snprintf(out->why, sizeof out->why, "no GPU is usable: %s", why);
  else if (out->list_devices)
    devices_list(devices, out->devices, sizeof out->devices);
}

const char *cuda_describe(const struct backend *b)
{
  return ((const struct gpu *)b)->device->description;
}

/* Graphs of chained launches need a driver for CUDA 12.3. The description is equal for all ranks
   and for devices of the same model. */
static void device_open(struct gpu *c, struct gpu_device *d)
{
  struct cudaDeviceProp prop;
  int devices, driver;
  CUDA(cudaGetDeviceCount(&devices));
  int device = c->config.device % devices;
  CUDA(cudaSetDevice(device));
  CUDA(cudaGetDeviceProperties(&prop, device));
  CUDA(cudaDriverGetVersion(&driver));
  d->multiprocessors = prop.multiProcessorCount;
  d->shared_bytes = (int)prop.sharedMemPerMultiprocessor;
  d->chained = prop.major >= 9 && driver >= 12030;
  snprintf(d->description, sizeof d->description, "cuda, %s_sm%d%d on %s",
           c->config.precision == PRECISION_DOUBLE ? "double" : "mixed", prop.major, prop.minor,
           prop.name);
}

void cuda_streams_open(struct gpu *c)
{
  struct gpu_streams *s = NEW_STATE(gpu_streams, c, streams);
  int least, first;
  device_open(c, NEW_STATE(gpu_device, c, device));
  CUDA(cudaDeviceGetStreamPriorityRange(&least, &first));
  CUDA(cudaStreamCreateWithFlags(&s->main, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithPriority(&s->side, cudaStreamNonBlocking, first));
  CUDA(cudaStreamCreateWithPriority(&s->side2, cudaStreamNonBlocking, first));
  CUDA(cudaEventCreateWithFlags(&s->main_event, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&s->side_event, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&s->side2_event, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&s->halo_event, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&s->gather_event, cudaEventDisableTiming));
  c->channel.stream = s->side;
}

void cuda_streams_close(struct gpu *c)
{
  const struct gpu_streams *s = c->streams;
  CUDA(cudaStreamDestroy(s->main));
  CUDA(cudaStreamDestroy(s->side));
  CUDA(cudaStreamDestroy(s->side2));
  CUDA(cudaEventDestroy(s->main_event));
  CUDA(cudaEventDestroy(s->side_event));
  CUDA(cudaEventDestroy(s->side2_event));
  CUDA(cudaEventDestroy(s->halo_event));
  CUDA(cudaEventDestroy(s->gather_event));
}

void cuda_fork(struct gpu *c)
{
  CUDA(cudaEventRecord(c->streams->main_event, c->streams->main));
  CUDA(cudaStreamWaitEvent(c->streams->side, c->streams->main_event, 0));
}

void cuda_fork_side2(struct gpu *c)
{
  CUDA(cudaStreamWaitEvent(c->streams->side2, c->streams->main_event, 0));
}

void cuda_join_side2(struct gpu *c)
{
  CUDA(cudaEventRecord(c->streams->side2_event, c->streams->side2));
  CUDA(cudaStreamWaitEvent(c->streams->side, c->streams->side2_event, 0));
}

void cuda_join(struct gpu *c)
{
  struct gpu_streams *s = OWN(gpu_streams, c->streams);
  CUDA(cudaEventRecord(s->side_event, s->side));
  CUDA(cudaStreamWaitEvent(s->main, s->side_event, 0));
  s->side_busy = s->halo_noted = 0;
}

void cuda_join_if_busy(struct gpu *c)
{
  if (c->streams->side_busy) cuda_join(c);
}

void cuda_side_used(struct gpu *c)
{
  OWN(gpu_streams, c->streams)->side_busy = 1;
}

void cuda_halo_note(struct gpu *c)
{
  CUDA(cudaEventRecord(c->streams->halo_event, c->streams->side));
  OWN(gpu_streams, c->streams)->side_busy = OWN(gpu_streams, c->streams)->halo_noted = 1;
}

void cuda_halo_join(struct gpu *c)
{
  struct gpu_streams *s = OWN(gpu_streams, c->streams);
  if (s->halo_noted)
    CUDA(cudaStreamWaitEvent(s->main, s->halo_event, 0));
  else
    cuda_join_if_busy(c);
  s->halo_noted = 0;
}

int cuda_shared_memory(const void *kernel, int64_t bytes)
{
  int device, most;
  struct cudaFuncAttributes of;
  CUDA(cudaGetDevice(&device));
  CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  CUDA(cudaFuncGetAttributes(&of, kernel));
  if (bytes + (int64_t)of.sharedSizeBytes > most) return 0;
  CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
  return 1;
}
