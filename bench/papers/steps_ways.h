/* The kernels of steps.cu, and the ways to submit them. An atom has a thread, the number of atoms
   is a multiple of all block sizes. With host the same parts run atom by atom on one core. */
#ifndef STEPS_WAYS_H
#define STEPS_WAYS_H

#include <cooperative_groups.h>

#include "steps.h"

#define CUDA(call) cuda_check(call, #call)

static void cuda_check(cudaError_t error, const char *call)
{
  if (error == cudaSuccess) return;
  fprintf(stderr, "steps: %s: %s\n", call, cudaGetErrorString(error));
  exit(3);
}

static const int block_sizes[] = {64, 128, 256, 512};
enum { BLOCK_SIZES = (int)(sizeof block_sizes / sizeof *block_sizes), BLOCK = 128 };

/* grid: blocks of the cooperative kernel. */
struct run {
  struct state s;
  float4 *x, *v, *f; /* of the start */
  int steps, batch, host, block, grid;
  cudaStream_t stream;
  cudaGraphExec_t graph, graph_single; /* of --batch steps */
};

/* ---------------------------------------------------------------- kernels */

static __device__ inline int thread_of(void)
{
  return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

template <int PARTS>
static __global__ void part_kernel(const __grid_constant__ struct state s, int at, int to)
{
  atom_advance<PARTS>(s, at, to, thread_of());
}

/* What `single` does, in one launch: the positions are again in x[0] at the end. */
static __global__ void steps_kernel(const __grid_constant__ struct state s, int steps)
{
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int first = thread_of(), stride = (int)(gridDim.x * blockDim.x);
  int at = (steps - 1) & 1;
  for (int i = first; i < s.n; i += stride)
    atom_advance<FIRST>(s, 0, at, i);
  grid.sync();
  for (int k = 1; k < steps; k++, at ^= 1) {
    for (int i = first; i < s.n; i += stride)
      atom_advance<FORCES | SECOND | FIRST>(s, at, at ^ 1, i);
    grid.sync();
  }
  for (int i = first; i < s.n; i += stride)
    atom_advance<FORCES | SECOND>(s, 0, 0, i);
}

static HD inline void list_add(const struct state &s, int i, float4 own, int j, float4 other,
                               int *count)
{
  if (j == i || difference_of(s, own, other).w >= s.reach2) return;
  if (*count < s.rows) s.list[(size_t)*count * (size_t)s.n + (size_t)i] = j;
  ++*count;
}

/* By a loop over all atoms, a block at a time through shared memory. */
static __global__ void list_kernel(const __grid_constant__ struct state s)
{
  extern __shared__ float4 tile[];
  const int i = thread_of();
  const float4 own = s.x[0][i];
  int count = 0;
  for (int first = 0; first < s.n; first += (int)blockDim.x) {
    tile[threadIdx.x] = s.x[0][first + (int)threadIdx.x];
    __syncthreads();
    for (int k = 0; k < (int)blockDim.x; k++)
      list_add(s, i, own, first + k, tile[k], &count);
    __syncthreads();
  }
  s.count[i] = count;
}

static __global__ void energy_kernel(const __grid_constant__ struct state s, double *energy)
{
  energy[thread_of()] = energy_of(s, thread_of());
}

/* ---------------------------------------------------------------- launches */

static unsigned blocks_of(const struct run *r)
{
  return (unsigned)(r->s.n / r->block);
}

template <int PARTS> static void part_run(const struct run *r, int at, int to)
{
  if (r->host) {
    for (int i = 0; i < r->s.n; i++)
      atom_advance<PARTS>(r->s, at, to, i);
    return;
  }
  part_kernel<PARTS><<<blocks_of(r), (unsigned)r->block, 0, r->stream>>>(r->s, at, to);
  CUDA(cudaGetLastError());
}

static void list_run(const struct run *r)
{
  if (r->host) {
    for (int i = 0; i < r->s.n; i++) {
      r->s.count[i] = 0;
      for (int j = 0; j < r->s.n; j++)
        list_add(r->s, i, r->s.x[0][i], j, r->s.x[0][j], &r->s.count[i]);
    }
    return;
  }
  const size_t shared = (size_t)r->block * sizeof(float4);
  list_kernel<<<blocks_of(r), (unsigned)r->block, shared, r->stream>>>(r->s);
  CUDA(cudaGetLastError());
}

static void run_wait(const struct run *r)
{
  if (!r->host) CUDA(cudaStreamSynchronize(r->stream));
}

/* ---------------------------------------------------------------- ways */

static void separate(const struct run *r, int steps)
{
  for (int k = 0; k < steps; k++) {
    part_run<FIRST>(r, 0, 0);
    part_run<FORCES>(r, 0, 0);
    part_run<SECOND>(r, 0, 0);
  }
}

static void next(const struct run *r, int steps)
{
  part_run<FIRST>(r, 0, 0);
  for (int k = 1; k < steps; k++) {
    part_run<FORCES>(r, 0, 0);
    part_run<SECOND | FIRST>(r, 0, 0);
  }
  part_run<FORCES>(r, 0, 0);
  part_run<SECOND>(r, 0, 0);
}

static void kick(const struct run *r, int steps)
{
  for (int k = 0; k < steps; k++) {
    part_run<FIRST>(r, 0, 0);
    part_run<FORCES | SECOND>(r, 0, 0);
  }
}

/* An atom may drift while others still read where it was, so that the two copies of positions take
   turns. The last are in x[0]. */
static void single(const struct run *r, int steps)
{
  int at = (steps - 1) & 1;
  part_run<FIRST>(r, 0, at);
  for (int k = 1; k < steps; k++, at ^= 1)
    part_run<FORCES | SECOND | FIRST>(r, at, at ^ 1);
  part_run<FORCES | SECOND>(r, 0, 0);
}

static void waiting(const struct run *r, int steps)
{
  for (int k = 0; k < steps; k++) {
    separate(r, 1);
    run_wait(r);
  }
}

static void graph(const struct run *r, int steps)
{
  for (int k = 0; k < steps; k += r->batch)
    CUDA(cudaGraphLaunch(r->graph, r->stream));
}

static void graph_single(const struct run *r, int steps)
{
  for (int k = 0; k < steps; k += r->batch)
    CUDA(cudaGraphLaunch(r->graph_single, r->stream));
}

static void persistent(const struct run *r, int steps)
{
  struct state s = r->s;
  void *arguments[] = {&s, &steps};
  CUDA(cudaLaunchCooperativeKernel((const void *)steps_kernel, dim3((unsigned)r->grid),
                                   dim3((unsigned)r->block), arguments, 0, r->stream));
}

static const struct way {
  const char *name;
  void (*submit)(const struct run *r, int steps);
  int on_host;
} ways[] = {
    {"separate", separate, 1},
    {"next", next, 1},
    {"kick", kick, 1},
    {"single", single, 1},
    {"waiting", waiting, 1},
    {"graph", graph, 0},
    {"graph-single", graph_single, 0},
    {"persistent", persistent, 0},
};
enum { WAYS = (int)(sizeof ways / sizeof *ways) };

/* ---------------------------------------------------------------- memory and block sizes */

static void *place(size_t bytes, int host)
{
  void *p;
  if (host) return room(bytes, 1);
  CUDA(cudaMalloc(&p, bytes));
  return p;
}

static void release(void *p, int host)
{
  if (host)
    free(p);
  else
    CUDA(cudaFree(p));
}

/* Between memory of the run and of the host, when all before is done; waits for it. */
static void copy(const struct run *r, void *to, const void *from, size_t bytes)
{
  if (r->host) {
    memcpy(to, from, bytes);
    return;
  }
  CUDA(cudaDeviceSynchronize());
  CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
  CUDA(cudaDeviceSynchronize());
}

static cudaGraphExec_t graph_create(const struct run *r, void (*submit)(const struct run *, int))
{
  cudaGraph_t made;
  cudaGraphExec_t exec;
  CUDA(cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal));
  submit(r, r->batch);
  CUDA(cudaStreamEndCapture(r->stream, &made));
  CUDA(cudaGraphInstantiate(&exec, made, 0));
  CUDA(cudaGraphDestroy(made));
  return exec;
}

/* Blocks that the GPU holds at once, at most one for each block of atoms. */
static int resident(const struct run *r, const void *kernel)
{
  int device, processors, each;
  CUDA(cudaGetDevice(&device));
  CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, r->block, 0));
  return each * processors < (int)blocks_of(r) ? each * processors : (int)blocks_of(r);
}

static void graphs_destroy(struct run *r)
{
  if (r->graph) CUDA(cudaGraphExecDestroy(r->graph));
  if (r->graph_single) CUDA(cudaGraphExecDestroy(r->graph_single));
  r->graph = r->graph_single = NULL;
}

static void block_set(struct run *r, int block)
{
  r->block = block;
  if (r->host) return;
  graphs_destroy(r);
  r->graph = graph_create(r, separate);
  r->graph_single = graph_create(r, single);
  r->grid = resident(r, (const void *)steps_kernel);
}

static struct run run_create(const struct options *o)
{
  struct run r;
  memset(&r, 0, sizeof r);
  r.s = state_of(o);
  r.steps = o->steps;
  r.batch = o->batch;
  r.host = o->host;
  const size_t n = (size_t)r.s.n;
  float4 **arrays[] = {&r.s.x[0], &r.s.x[1], &r.s.v, &r.s.f, &r.x, &r.v, &r.f};
  for (float4 **a : arrays)
    *a = (float4 *)place(n * sizeof **a, r.host);
  r.s.count = (int *)place(n * sizeof *r.s.count, r.host);
  r.s.list = (int *)place(n * (size_t)r.s.rows * sizeof *r.s.list, r.host);
  if (!r.host) CUDA(cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking));
  block_set(&r, BLOCK);
  return r;
}

static void run_destroy(struct run *r)
{
  void *arrays[] = {r->s.x[0], r->s.x[1], r->s.v, r->s.f, r->x, r->v, r->f, r->s.count, r->s.list};
  for (void *a : arrays)
    release(a, r->host);
  if (r->host) return;
  graphs_destroy(r);
  CUDA(cudaStreamDestroy(r->stream));
}

/* The state of the start. The other copy of the positions is no number until a step writes it. */
static void run_restore(const struct run *r)
{
  const size_t bytes = (size_t)r->s.n * sizeof(float4);
  copy(r, r->s.x[0], r->x, bytes);
  copy(r, r->s.v, r->v, bytes);
  copy(r, r->s.f, r->f, bytes);
  if (r->host) {
    memset(r->s.x[1], 0xff, bytes);
    return;
  }
  CUDA(cudaMemset(r->s.x[1], 0xff, bytes));
  CUDA(cudaDeviceSynchronize());
}

#endif
