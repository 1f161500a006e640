/* The Fourier transforms of MAP_FULL on a GPU, by cuFFT: one plane at a time, and then the lines
   along z of one y at a time, so that batches, and rounding with them, do not depend on the number
   of ranks. Charges on the lattice are integers, so that the order of atomic additions does not
   matter. */
#include <cufft.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "config.h"
#include "cuda/runtime/device.cuh"
#include "maps/full_body.h"

/* The functions of cuFFT that maps call. The library is loaded when it is first needed: it has
   hundreds of megabytes, which runs of dynamics do without. */
struct cufft {
  cufftResult (*create)(cufftHandle *);
  cufftResult (*make)(cufftHandle, int, long long *, long long *, long long, long long, long long *,
                      long long, long long, cufftType, long long, size_t *);
  cufftResult (*forward_real)(cufftHandle, cufftDoubleReal *, cufftDoubleComplex *);
  cufftResult (*backward_real)(cufftHandle, cufftDoubleComplex *, cufftDoubleReal *);
  cufftResult (*transform)(cufftHandle, cufftDoubleComplex *, cufftDoubleComplex *, int);
  cufftResult (*destroy)(cufftHandle);
};

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define LIBRARY "libcufft.so." TEXT(CUFFT_VER_MAJOR)

/* Sets *function to a function of the library, by memcpy, since C does not convert object pointers
   to function pointers. 1 if it was found. */
static int find(void *library, const char *name, void *function)
{
  void *found = dlsym(library, name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

/* Loads the library from where the system finds libraries, or from the CUDA toolkit of the build.
   Returns NULL, or why it cannot be loaded and what to do. */
static const char *cufft_load(struct cufft *f)
{
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen(CUFFT_DIR "/" LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return "the method 'full' on GPUs needs " LIBRARY ", which is found neither in " CUFFT_DIR
           " nor where the system looks: install cuFFT of the CUDA toolkit, or name its folder in "
           "LD_LIBRARY_PATH, or use --backend=cpu";
  if (find(library, "cufftCreate", &f->create) && find(library, "cufftMakePlanMany64", &f->make) &&
      find(library, "cufftExecD2Z", &f->forward_real) &&
      find(library, "cufftExecZ2D", &f->backward_real) &&
      find(library, "cufftExecZ2Z", &f->transform) && find(library, "cufftDestroy", &f->destroy))
    return NULL;
  return LIBRARY " lacks functions that the method 'full' calls: another version is needed";
}

/* Checks a call of cuFFT: an error names it and ends the program; status 2 if memory is
   exhausted. */
#define CUFFT(call) cufft_check((call), #call)
static void cufft_check(cufftResult result, const char *call)
{
  if (result == CUFFT_SUCCESS) return;
  if (result == CUFFT_ALLOC_FAILED)
    die(STATUS_INPUT, "%s: the memory of the GPU is exhausted: use more GPUs, or a larger spacing",
        call);
  die(STATUS_NUMERIC, "%s failed with error %d of cuFFT: look at nvidia-smi and the system log",
      call, (int)result);
}

struct work {
  const struct full_plan *p;
  struct cufft fft;
  cufftHandle plane_forward, plane_backward, lines;
  struct full_plan lattice;   /* the plan with k2 and damp in device memory: argument of kernels */
  unsigned long long *amount; /* device [count][n[1]][n[0]]: charge, e/scale; NULL after forward */
  double *table;              /* device: k2 and damp */
  double *points;             /* device [n[1]][n[0]]: a plane */
  cufftDoubleComplex *half;   /* device [n[1]][columns]: its spectrum */
  cufftDoubleComplex *row;    /* device [n[2]][columns]: the lines along z of one y */
  cufftDoubleComplex *spectrum; /* device: in the layout `planes`, or `rows` */
};

/* Adds sources to the lattice: one thread for each source and each of its planes z. */
static __global__ void add_sources(const __grid_constant__ struct full_plan l, int64_t n,
                                   const struct map_source *source, unsigned long long *amount)
{
  const int64_t thread = thread_index(), k = thread / FULL_ORDER;
  if (k >= n) return;
  const int c = (int)(thread % FULL_ORDER);
  struct full_spread s;
  full_spread_set(&s, &source[k], l.origin, l.n, l.spacing);
  const int z = full_wrap(s.first[2] + c, l.n[2]) - l.first;
  if (z < 0 || z >= l.count) return;
  for (int b = 0; b < FULL_ORDER; b++) {
    const int64_t row = ((int64_t)z * l.n[1] + full_wrap(s.first[1] + b, l.n[1])) * l.n[0];
    for (int a = 0; a < FULL_ORDER; a++)
      atomicAdd(&amount[row + full_wrap(s.first[0] + a, l.n[0])],
                (unsigned long long)full_integer(l.scale, full_amount(&source[k], &s, a, b, c)));
  }
}

static __global__ void to_double(int64_t n, const unsigned long long *amount, double *value)
{
  const int64_t i = thread_index();
  if (i < n) value[i] = (double)(int64_t)amount[i];
}

/* Multiplies the lines of one y by the factors of their wave vectors. */
static __global__ void multiply(const __grid_constant__ struct full_plan l, int y,
                                cufftDoubleComplex *row)
{
  const int64_t i = thread_index();
  if (i >= (int64_t)l.n[2] * l.columns) return;
  const int x = (int)(i % l.columns), z = (int)(i / l.columns);
  const double factor = full_factor(l.factor, l.k2[0][x] + l.k2[1][y] + l.k2[2][z],
                                    l.damp[0][x] * l.damp[1][y] * l.damp[2][z]);
  row[i].x *= factor;
  row[i].y *= factor;
}

static __global__ void to_float(int64_t n, const double *from, float *to)
{
  const int64_t i = thread_index();
  if (i < n) to[i] = (float)from[i];
}

static const char *why_not(void)
{
  struct cufft f;
  const char *why = cuda_why_not(NULL);
  return why ? why : cufft_load(&f);
}

static void plan_many(struct work *w, cufftHandle *plan, int dimensions, long long *n,
                      cufftType type, long long stride, long long batch)
{
  size_t bytes;
  CUFFT(w->fft.create(plan));
  CUFFT(w->fft.make(*plan, dimensions, n, stride > 1 ? n : NULL, stride, 1, stride > 1 ? n : NULL,
                    stride, 1, type, batch, &bytes));
}

static void tables_copy(struct work *w)
{
  const struct full_plan *p = w->p;
  const size_t all = (size_t)p->n[0] + (size_t)p->n[1] + (size_t)p->n[2];
  CUDA(cudaMalloc(&w->table, 2 * all * sizeof(double)));
  double *to = w->table;
  w->lattice = *p;
  for (int k = 0; k < 3; k++) {
    const size_t bytes = (size_t)p->n[k] * sizeof(double);
    CUDA(cudaMemcpy(to, p->k2[k], bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(to + p->n[k], p->damp[k], bytes, cudaMemcpyHostToDevice));
    w->lattice.k2[k] = to;
    w->lattice.damp[k] = to + p->n[k];
    to += 2 * p->n[k];
  }
}

static int64_t numbers_planes(const struct full_plan *p)
{
  return (int64_t)p->count * p->n[1] * p->columns;
}

static int64_t numbers_rows(const struct full_plan *p)
{
  return (int64_t)p->n[2] * p->rows * p->columns;
}

/* Status 2 if the GPU has too little memory for charges, spectrum, and buffers of a few planes,
   ours and those of cuFFT. Sources come in small numbers (parts.c). */
static void memory_check(const struct full_plan *p)
{
  const double gb = 1e-9, planes = (double)numbers_planes(p), rows = (double)numbers_rows(p);
  const double spectrum = (planes > rows ? planes : rows) * sizeof(cufftDoubleComplex);
  const double fixed = 8.0 * p->columns * (p->n[1] + p->n[2]) * sizeof(cufftDoubleComplex) + 1e8;
  const double needed = 8.0 * p->count * p->n[1] * p->n[0] + spectrum + fixed;
  size_t available, all;
  CUDA(cudaMemGetInfo(&available, &all));
  const double rest = 0.95 * (double)available - fixed;
  if (needed <= 0.95 * (double)available) return;
  char advice[64] = "a larger --spacing";
  if (rest > 0)
    snprintf(advice, sizeof advice, "%.0f GPUs like it, or a larger --spacing",
             p->ranks * (needed - fixed) / rest + 1);
  die(STATUS_INPUT,
      "the map of %d x %d x %d points needs %.4g GB of the memory of each of %d GPUs, and here "
      "%.4g "
      "GB are free: choose %s",
      p->n[0], p->n[1], p->n[2], gb * needed, p->ranks, gb * (double)available, advice);
}

static void *begin(const struct full_plan *p)
{
  struct work *w = (struct work *)alloc_array(1, sizeof *w);
  int devices;
  w->p = p;
  CUDA(cudaGetDeviceCount(&devices));
  CUDA(cudaSetDevice(p->device % devices));
  const char *why = cufft_load(&w->fft);
  if (why) die(STATUS_INPUT, "%s", why);
  memory_check(p);
  long long plane[2] = {p->n[1], p->n[0]}, line[1] = {p->n[2]};
  plan_many(w, &w->plane_forward, 2, plane, CUFFT_D2Z, 1, 1);
  plan_many(w, &w->plane_backward, 2, plane, CUFFT_Z2D, 1, 1);
  plan_many(w, &w->lines, 1, line, CUFFT_Z2Z, p->columns, p->columns);
  tables_copy(w);
  const int64_t planes = numbers_planes(p), rows = numbers_rows(p);
  const size_t bytes = (size_t)p->count * (size_t)p->n[1] * (size_t)p->n[0] * sizeof *w->amount;
  CUDA(cudaMalloc(&w->amount, bytes + 1));
  CUDA(cudaMemset(w->amount, 0, bytes));
  CUDA(cudaMalloc(&w->points, (size_t)p->n[0] * (size_t)p->n[1] * sizeof *w->points));
  CUDA(cudaMalloc(&w->half, (size_t)p->columns * (size_t)p->n[1] * sizeof *w->half));
  CUDA(cudaMalloc(&w->row, (size_t)p->columns * (size_t)p->n[2] * sizeof *w->row));
  CUDA(cudaMalloc(&w->spectrum, (size_t)(planes > rows ? planes : rows) * sizeof *w->half + 1));
  return w;
}

static void add(void *own, const struct map_source *source, int64_t n)
{
  struct work *w = (struct work *)own;
  const size_t bytes = (size_t)n * sizeof *source;
  struct map_source *copy;
  if (n == 0 || w->p->count == 0) return;
  CUDA(cudaMalloc(&copy, bytes));
  CUDA(cudaMemcpy(copy, source, bytes, cudaMemcpyHostToDevice));
  LAUNCH_ON(0, add_sources, n * FULL_ORDER, THREADS, w->lattice, n, copy, w->amount);
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(copy));
}

/* Copies the spectrum of plane z from the layout `planes` to w->half, or with out 1 back. */
static void copy_plane(struct work *w, int z, int out)
{
  const struct full_plan *p = w->p;
  for (int k = 0; k < p->ranks; k++) {
    const int first = p->row_first[k], rows = p->row_first[k + 1] - first;
    cufftDoubleComplex *packed =
        w->spectrum + full_packed(p->count, p->columns, first, rows, z, first);
    cufftDoubleComplex *unpacked = w->half + (int64_t)first * p->columns;
    CUDA(cudaMemcpyAsync(out ? packed : unpacked, out ? unpacked : packed,
                         (size_t)rows * (size_t)p->columns * sizeof *unpacked,
                         cudaMemcpyDeviceToDevice, 0));
  }
}

static void forward(void *own)
{
  struct work *w = (struct work *)own;
  const struct full_plan *p = w->p;
  const int64_t plane = (int64_t)p->n[0] * p->n[1];
  for (int z = 0; z < p->count; z++) {
    LAUNCH_ON(0, to_double, plane, THREADS, plane, w->amount + z * plane, w->points);
    CUFFT(w->fft.forward_real(w->plane_forward, w->points, w->half));
    copy_plane(w, z, 1);
  }
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaFree(w->amount));
  w->amount = NULL;
}

static double *take(void *own, int64_t n)
{
  struct work *w = (struct work *)own;
  double *host = (double *)alloc_array(n, sizeof *w->spectrum);
  CUDA(cudaMemcpy(host, w->spectrum, (size_t)n * sizeof *w->spectrum, cudaMemcpyDeviceToHost));
  return host;
}

static void give(void *own, double *spectrum, int64_t n)
{
  struct work *w = (struct work *)own;
  CUDA(cudaMemcpy(w->spectrum, spectrum, (size_t)n * sizeof *w->spectrum, cudaMemcpyHostToDevice));
  free(spectrum);
}

/* Copies the lines of row y of this rank from the layout `rows` to w->row, or with out 1 back. */
static void copy_row(struct work *w, int y, int out)
{
  const struct full_plan *p = w->p;
  const size_t width = (size_t)p->columns * sizeof *w->row, pitch = width * (size_t)p->rows;
  cufftDoubleComplex *at = w->spectrum + (int64_t)y * p->columns;
  if (out)
    CUDA(cudaMemcpy2DAsync(at, pitch, w->row, width, width, (size_t)p->n[2],
                           cudaMemcpyDeviceToDevice, 0));
  else
    CUDA(cudaMemcpy2DAsync(w->row, width, at, pitch, width, (size_t)p->n[2],
                           cudaMemcpyDeviceToDevice, 0));
}

static void lines(void *own)
{
  struct work *w = (struct work *)own;
  const struct full_plan *p = w->p;
  for (int y = 0; y < p->rows; y++) {
    copy_row(w, y, 0);
    CUFFT(w->fft.transform(w->lines, w->row, w->row, CUFFT_FORWARD));
    LAUNCH_ON(0, multiply, (int64_t)p->n[2] * p->columns, THREADS, w->lattice, p->row + y, w->row);
    CUFFT(w->fft.transform(w->lines, w->row, w->row, CUFFT_INVERSE));
    copy_row(w, y, 1);
  }
  CUDA(cudaDeviceSynchronize());
}

static void backward(void *own, int double_precision, void *value)
{
  struct work *w = (struct work *)own;
  const struct full_plan *p = w->p;
  const int64_t plane = (int64_t)p->n[0] * p->n[1];
  const size_t bytes = (size_t)plane * (double_precision ? sizeof(double) : sizeof(float));
  float *rounded;
  CUDA(cudaMalloc(&rounded, (size_t)plane * sizeof *rounded));
  for (int z = 0; z < p->count; z++) {
    copy_plane(w, z, 0);
    CUFFT(w->fft.backward_real(w->plane_backward, w->half, w->points));
    LAUNCH_ON(0, to_float, plane, THREADS, plane, w->points, rounded);
    CUDA(cudaMemcpy((char *)value + (size_t)z * bytes,
                    double_precision ? (const void *)w->points : (const void *)rounded, bytes,
                    cudaMemcpyDeviceToHost));
  }
  CUDA(cudaFree(rounded));
}

static void end(void *own)
{
  struct work *w = (struct work *)own;
  CUFFT(w->fft.destroy(w->plane_forward));
  CUFFT(w->fft.destroy(w->plane_backward));
  CUFFT(w->fft.destroy(w->lines));
  CUDA(cudaFree(w->amount));
  CUDA(cudaFree(w->table));
  CUDA(cudaFree(w->points));
  CUDA(cudaFree(w->half));
  CUDA(cudaFree(w->row));
  CUDA(cudaFree(w->spectrum));
  free(w);
}

/* 16 bytes per point: 8 each for charges and spectrum. */
const struct full_transform full_cuda = {why_not, 16,   begin, add,      forward,
                                         take,    give, lines, backward, end};
