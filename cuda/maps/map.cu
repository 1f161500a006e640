/* Maps on a GPU (map_kernel.cuh). The host finds for each block of points the bins within the
   cutoff, copies sources and tables to the GPU, and computes the planes of the rank in batches of
   layers of blocks: while one batch is computed, the values of the one before are copied to the
   host. So device memory bounds the sources and one layer of blocks, and not the lattice. */
#include <algorithm>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/torus.h"
#include "base/units.h"
#include "cuda/maps/map_kernel.cuh"
#include "cuda/runtime/cuda_check.h"

/* Blocks of points in a batch: many times as many as an H200 computes at a time; 64 MiB of values
   in float. */
enum { BATCH_BLOCKS = 1 << 16 };
/* With fewer blocks in the whole lattice, several warps share a block: an H200 holds about 2,600
   warps. */
enum { SHARED_BLOCKS = 1 << 13 };
static const double gib = 1073741824.0;
static const int points_of_block[3] = {MAP_X, MAP_Y, MAP_Z};

static int blocks_of(const struct map_lattice *l, int k)
{
  return (l->n[k] + points_of_block[k] - 1) / points_of_block[k];
}

/* Warps that share a block of points. */
static int warps_of(const struct map_job *job)
{
  const struct map_lattice *l = job->lattice;
  int64_t blocks = blocks_of(l, 2);
  for (int k = 0; k < 2; k++)
    blocks *= (l->whole[k] + points_of_block[k] - 1) / points_of_block[k];
  return blocks < SHARED_BLOCKS ? MAP_WARPS : 1;
}

/* Sets m to the bins within `reach` of the interval [low, low + width]; all in units of box /
   2^32. */
static void bins_in_reach(struct map_interval *m, uint32_t low, uint32_t width, uint64_t reach,
                          uint64_t bins)
{
  const uint64_t length = width + 2 * reach, start = (uint32_t)(low - (uint32_t)reach);
  m->first = 0;
  m->bins = (int)bins;
  if (length >> 32) return;
  const uint64_t first = start * bins >> 32, last = (start + length) * bins >> 32;
  if (last - first + 1 >= bins) return;
  m->first = (int)first;
  m->bins = (int)(last - first + 1);
}

/* The blocks of points along axis k; host memory, which the caller frees. */
static struct map_interval *intervals_of(const struct map_job *job, int k)
{
  const struct map_lattice *l = job->lattice;
  const int n = blocks_of(l, k), per = points_of_block[k];
  struct map_interval *m = (struct map_interval *)alloc_array(n, sizeof *m);
  const double reach = ceil(job->cutoff / job->torus.edge[k] * TORUS_EDGE) + 2;
  for (int b = 0; b < n; b++) {
    const int end = (b + 1) * per < l->n[k] ? (b + 1) * per : l->n[k];
    const uint32_t low = (uint32_t)l->at[k][b * per], width = (uint32_t)l->at[k][end - 1] - low;
    m[b].first = 0;
    if ((end - 1 - b * per) * l->spacing[k] >= job->torus.edge[k]) { /* points go around the box */
      m[b].centre = low;
      m[b].half = UINT32_C(1) << 31;
      m[b].bins = job->sources->bins[k];
      continue;
    }
    m[b].centre = low + width / 2;
    m[b].half = width - width / 2;
    if (job->method == MAP_DIRECT || reach >= TORUS_EDGE)
      m[b].bins = job->sources->bins[k];
    else
      bins_in_reach(&m[b], low, width, (uint64_t)reach, (uint64_t)job->sources->bins[k]);
  }
  return m;
}

/* The allocations of a map in device memory. */
enum { ARRAYS = 16 };
struct map_memory {
  void *array[ARRAYS];
  int arrays;
};

static void refuse(const struct map_job *job, int64_t bytes, const char *what)
{
  size_t available = 0, all = 0;
  (void)cudaGetLastError();
  CUDA(cudaMemGetInfo(&available, &all));
  die(STATUS_INPUT,
      "the memory of the GPU does not suffice for the map: %s need %.3f GiB, and %.3f of %.1f GiB "
      "are free (%d x %d points a plane, %lld sources): choose fewer sources or points, or stop "
      "other programs on this GPU",
      what, (double)bytes / gib, (double)available / gib, (double)all / gib, job->lattice->n[0],
      job->lattice->n[1], (long long)job->sources->n);
}

static void *device_array(struct map_memory *m, const struct map_job *job, int64_t bytes,
                          const char *what)
{
  void *p = NULL;
  const cudaError_t error = cudaMalloc(&p, (size_t)(bytes > 0 ? bytes : 16));
  if (error == cudaErrorMemoryAllocation) refuse(job, bytes, what);
  CUDA(error);
  m->array[m->arrays++] = p;
  return p;
}

static const void *upload(struct map_memory *m, const struct map_job *job, const void *from,
                          int64_t bytes, const char *what)
{
  void *to = device_array(m, job, bytes, what);
  if (bytes > 0) CUDA(cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyHostToDevice));
  return to;
}

static void memory_free(struct map_memory *m)
{
  for (int k = 0; k < m->arrays; k++)
    CUDA(cudaFree(m->array[k]));
}

/* Uploads the sources in precision T, with the constants of the formulas. unit: nm; box edge along
   z / 2^32. The factors 1/2 and 1/8 are there because the kernel computes 2/r. */
template <class T>
static void sources_upload(const struct map_job *job, struct map_memory *m, double unit,
                           struct map_view<T> *v)
{
  const struct map_sources *s = job->sources;
  const double charge = map_coulomb(job) / (2 * unit),
               dipole = map_coulomb(job) / (8 * unit * unit);
  map_charge<T> *charges = (map_charge<T> *)alloc_array(s->n, sizeof *charges);
  map_moment<T> *moment = (map_moment<T> *)alloc_array(s->has_dipoles ? s->n : 0, sizeof *moment);
  for (int64_t i = 0; i < s->n; i++) {
    for (int k = 0; k < 3; k++)
      charges[i].x[k] = s->source[i].x[k];
    charges[i].q = (T)(charge * s->source[i].q);
    for (int k = 0; k < 3 && s->has_dipoles; k++)
      moment[i].p[k] = (T)(dipole * s->source[i].p[k]);
  }
  v->charge = (const map_charge<T> *)upload(m, job, charges, s->n * (int64_t)sizeof *charges,
                                            "the sources");
  if (s->has_dipoles)
    v->moment =
        (const map_moment<T> *)upload(m, job, moment, s->n * (int64_t)sizeof *moment, "dipoles");
  free(moment);
  free(charges);
}

template <class T>
static void tables_upload(const struct map_job *job, struct map_memory *m, struct map_view<T> *v)
{
  const struct map_sources *s = job->sources;
  const struct map_lattice *l = job->lattice;
  const int64_t bins = (int64_t)s->held[0] * s->held[1] * s->held[2] + 1;
  v->start = (const int *)upload(m, job, s->start, bins * (int64_t)sizeof *s->start,
                                 "bins of the sources");
  for (int k = 0; k < 3; k++) {
    struct map_interval *block = intervals_of(job, k);
    v->block[k] = (const struct map_interval *)upload(
        m, job, block, blocks_of(l, k) * (int64_t)sizeof *block, "tables of blocks");
    v->at[k] = (const int32_t *)upload(m, job, l->at[k], l->n[k] * (int64_t)sizeof *l->at[k],
                                       "coordinates of points");
    v->bins[k] = s->bins[k];
    v->bin[k] = TORUS_EDGE / s->bins[k];
    v->n[k] = l->n[k];
    free(block);
    v->low[k] = s->low[k];
    v->held[k] = s->held[k];
  }
  v->blocks[0] = blocks_of(l, 0);
  v->blocks[1] = blocks_of(l, 1);
}

template <class T>
static struct map_view<T> view_of(const struct map_job *job, struct map_memory *m) {
  struct map_view<T> v;
  const double unit = job->torus.edge[2] / TORUS_EDGE, cutoff = job->cutoff / unit;
  const double margin = 1e-5; /* for rounding of distances from blocks */
  memset(&v, 0, sizeof v);
  sources_upload(job, m, unit, &v);
  tables_upload(job, m, &v);
  for (int k = 0; k < 3; k++)
    v.unit[k] = (T)(job->torus.edge[k] / job->torus.edge[2]);
  v.least = (T)(MAP_NEAREST / unit * (MAP_NEAREST / unit));
  if (job->method == MAP_CUTOFF) v.inverse = (T)(1 / (cutoff * cutoff));
  if (job->method == MAP_FORCE_FIELD) v.inverse = (T)(1 / (2 * cutoff));
  v.reach2 = (float)(cutoff * cutoff * (1 + margin));
  v.processed = (unsigned long long *)device_array(m, job, sizeof *v.processed, "counts");
  CUDA(cudaMemset(v.processed, 0, sizeof *v.processed));
  return v;
}

template <class T>
using map_function = void(*)(map_view<T>);

/* By dipoles, compensated sums, and warps that share a block. */
template <class T, int METHOD> static map_function<T> kernel_for(const struct map_job *job)
{
  static const map_function<T> all[2][2][2] = {
      {{map_kernel<T, METHOD, 0, 0, 1>, map_kernel<T, METHOD, 0, 0, MAP_WARPS>},
       {map_kernel<T, METHOD, 0, 1, 1>, map_kernel<T, METHOD, 0, 1, MAP_WARPS>}},
      {{map_kernel<T, METHOD, 1, 0, 1>, map_kernel<T, METHOD, 1, 0, MAP_WARPS>},
       {map_kernel<T, METHOD, 1, 1, 1>, map_kernel<T, METHOD, 1, 1, MAP_WARPS>}}};
  return all[job->sources->has_dipoles != 0][job->compensated != 0][warps_of(job) > 1];
}

template <class T> static map_function<T> kernel_of(const struct map_job *job)
{
  switch (job->method) {
  case MAP_DIRECT:
    return kernel_for<T, MAP_DIRECT>(job);
  case MAP_CUTOFF:
    return kernel_for<T, MAP_CUTOFF>(job);
  case MAP_FORCE_FIELD:
    return kernel_for<T, MAP_FORCE_FIELD>(job);
  case MAP_FULL:
    break; /* maps/full.h */
  }
  return NULL;
}

/* A batch: its planes [first, end), their values in device memory, and events before and after its
   kernel. */
template <class T> struct batch {
  int first, end;
  T *value;
  cudaEvent_t begun, computed;
};

template <class T>
static void batch_compute(const struct map_job *job, struct map_view<T> *v, struct batch<T> *b,
                          int layer, int layers, cudaStream_t stream)
{
  const struct map_lattice *l = job->lattice;
  const map_function<T> map = kernel_of<T>(job);
  const int first = layer * MAP_Z;
  b->first = v->first = first > l->first ? first : l->first;
  b->end = v->end =
      (int)std::min<int64_t>(((int64_t)layer + layers) * MAP_Z, (int64_t)l->first + l->count);
  v->first_block = layer;
  v->regions = (int64_t)v->blocks[0] * v->blocks[1] * ((v->end - 1) / MAP_Z - layer + 1);
  v->value = b->value;
  CUDA(cudaEventRecord(b->begun, stream));
  LAUNCH_ON(stream, map, v->regions * warps_of(job) * MAP_LANES, MAP_THREADS, *v);
  CUDA(cudaEventRecord(b->computed, stream));
}

/* Waits for a batch, and copies its values to the host. */
template <class T>
static void batch_copy(const struct map_job *job, const struct batch<T> *b, T *value,
                       cudaStream_t stream)
{
  const struct map_lattice *l = job->lattice;
  const int64_t plane = (int64_t)l->n[0] * l->n[1];
  float ms = 0;
  CUDA(cudaEventSynchronize(b->computed));
  CUDA(cudaEventElapsedTime(&ms, b->begun, b->computed));
  if (job->cost) job->cost->kernels += 1e-3 * ms;
  CUDA(cudaMemcpyAsync(value + (b->first - l->first) * plane, b->value,
                       (size_t)((b->end - b->first) * plane) * sizeof *value,
                       cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
}

/* Computes the batches with two buffers: one is copied to the host while the next is computed. */
template <class T>
static void batches_compute(const struct map_job *job, struct map_view<T> *v, struct map_memory *m,
                            T *value)
{
  const struct map_lattice *l = job->lattice;
  const int64_t layer_blocks = (int64_t)v->blocks[0] * v->blocks[1];
  const int first = l->first / MAP_Z, end = (l->first + l->count - 1) / MAP_Z + 1;
  const int layers = (int)(layer_blocks < BATCH_BLOCKS ? BATCH_BLOCKS / layer_blocks : 1);
  const int64_t planes = std::min<int64_t>((int64_t)layers * MAP_Z, l->count);
  struct batch<T> batch[2];
  cudaStream_t compute, copy;
  CUDA(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&copy, cudaStreamNonBlocking));
  memset(batch, 0, sizeof batch);
  for (int k = 0; k < 2; k++) {
    if (k == 0 || end - first > layers)
      batch[k].value = (T *)device_array(m, job, planes * l->n[0] * l->n[1] * (int64_t)sizeof(T),
                                         "the values of a layer");
    CUDA(cudaEventCreate(&batch[k].begun));
    CUDA(cudaEventCreate(&batch[k].computed));
  }
  int k = 0;
  for (int layer = first; layer < end; layer += layers, k++) {
    batch_compute(job, v, &batch[k % 2], layer, layers, compute);
    if (k > 0) batch_copy(job, &batch[(k - 1) % 2], value, copy);
  }
  batch_copy(job, &batch[(k - 1) % 2], value, copy);
  for (int j = 0; j < 2; j++) {
    CUDA(cudaEventDestroy(batch[j].begun));
    CUDA(cudaEventDestroy(batch[j].computed));
  }
  CUDA(cudaStreamDestroy(compute));
  CUDA(cudaStreamDestroy(copy));
}

template <class T> static void compute_in(const struct map_job *job, T *value)
{
  struct map_memory m;
  unsigned long long processed = 0;
  memset(&m, 0, sizeof m);
  struct map_view<T> v = view_of<T>(job, &m);
  CUDA(cudaDeviceSynchronize()); /* streams of batches do not wait for the default stream */
  batches_compute(job, &v, &m, value);
  CUDA(cudaMemcpy(&processed, v.processed, sizeof processed, cudaMemcpyDeviceToHost));
  if (job->cost) job->cost->pairs += (int64_t)processed * MAP_X * MAP_Y * MAP_Z;
  memory_free(&m);
}

static double seconds_now(void)
{
  struct timespec t;
  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Selects the GPU: those of a node go round-robin to its ranks, as in the backend cuda. Loads the
   kernel too, since its first launch would wait for that. */
static void device_open(const struct map_job *job)
{
  const double start = seconds_now();
  const void *kernel = job->double_precision ? (const void *)kernel_of<double>(job)
                                             : (const void *)kernel_of<float>(job);
  struct cudaFuncAttributes attributes;
  int devices;
  CUDA(cudaGetDeviceCount(&devices));
  CUDA(cudaSetDevice(job->device % devices));
  CUDA(cudaFree(NULL)); /* the first call that needs the device waits for it */
  CUDA(cudaFuncGetAttributes(&attributes, kernel));
  if (job->cost) job->cost->start += seconds_now() - start;
}

static void compute(const struct map_job *job, void *value)
{
  if (job->lattice->count == 0) return;
  device_open(job);
  if (job->double_precision)
    compute_in(job, (double *)value);
  else
    compute_in(job, (float *)value);
}

static const char *why_not(void)
{
  return cuda_why_not(NULL);
}

const struct map_ops map_cuda = {"cuda", compute, why_not};
