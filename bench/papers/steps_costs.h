/* What the parts of a step of steps.cu cost apart: kernels, kernels called with copies of what they
   read and write, copies alone, and launches alone. */
#ifndef STEPS_COSTS_H
#define STEPS_COSTS_H

#include "steps_ways.h"

enum { CALLS = 100, BARRIERS = 100 };

/* Prints the times of o->repeat calls, one before them left out, multiplied by scale. prepare: is
   not timed; once returns when all is done. */
template <class PREPARE, class ONCE>
static double times_print(const struct options *o, const char *part, const char *what, int block,
                          const char *unit, double scale, PREPARE prepare, ONCE once)
{
  static double sample[REPEAT_MOST];
  for (int k = -1; k < o->repeat; k++) {
    prepare();
    CUDA(cudaDeviceSynchronize());
    const double begin = seconds_now();
    once();
    if (k >= 0) sample[k] = scale * (seconds_now() - begin);
  }
  return row_print(o, part, what, block, unit, sample);
}

/* The same by events around what `submit` submits to the stream of the run. */
template <class PREPARE, class SUBMIT>
static double events_print(const struct options *o, const struct run *r, const char *part,
                           const char *what, const char *unit, double scale, PREPARE prepare,
                           SUBMIT submit)
{
  static double sample[REPEAT_MOST];
  cudaEvent_t begin, end;
  CUDA(cudaEventCreate(&begin));
  CUDA(cudaEventCreate(&end));
  for (int k = -1; k < o->repeat; k++) {
    float ms = 0;
    prepare();
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaEventRecord(begin, r->stream));
    submit();
    CUDA(cudaEventRecord(end, r->stream));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    if (k >= 0) sample[k] = 1e-3 * scale * (double)ms;
  }
  CUDA(cudaEventDestroy(begin));
  CUDA(cudaEventDestroy(end));
  return row_print(o, part, what, r->block, unit, sample);
}

/* ---------------------------------------------------------------- kernels */

/* Milliseconds for 100 launches one after the other, or one list. */
static void kernels_measure(const struct options *o, const struct run *r)
{
  const auto restore = [&] { run_restore(r); };
  events_print(o, r, "kernels", "forces x 100", "ms", 1e3, restore, [&] {
    for (int k = 0; k < CALLS; k++)
      part_run<FORCES>(r, 0, 0);
  });
  events_print(o, r, "kernels", "integration: both halves x 100", "ms", 1e3, restore, [&] {
    for (int k = 0; k < CALLS; k++) {
      part_run<FIRST>(r, 0, 0);
      part_run<SECOND>(r, 0, 0);
    }
  });
  events_print(o, r, "kernels", "list", "ms", 1e3, restore, [&] { list_run(r); });
}

/* Host memory as malloc gives it, which CUDA copies through memory of its own, as in 2008. */
struct mirror {
  float4 *x, *v, *f;
  int *count, *list;
};

static struct mirror mirror_create(const struct run *r)
{
  const size_t n = (size_t)r->s.n;
  struct mirror m;
  m.x = (float4 *)room(n, sizeof *m.x);
  m.v = (float4 *)room(n, sizeof *m.v);
  m.f = (float4 *)room(n, sizeof *m.f);
  m.count = (int *)room(n, sizeof *m.count);
  m.list = (int *)room(n * (size_t)r->s.rows, sizeof *m.list);
  copy(r, m.x, r->x, n * sizeof *m.x);
  copy(r, m.f, r->f, n * sizeof *m.f);
  memset(m.list, 0xff, n * (size_t)r->s.rows * sizeof *m.list);
  return m;
}

static void mirror_destroy(struct mirror *m)
{
  free(m->x);
  free(m->v);
  free(m->f);
  free(m->count);
  free(m->list);
}

/* Milliseconds of 100 calls, each of which uploads what the kernel reads, waits for it, and reads
   back what it writes; the list stays where it is made, except in its own call. */
static void calls_measure(const struct options *o, const struct run *r)
{
  const size_t bytes = (size_t)r->s.n * sizeof(float4);
  const size_t row = (size_t)r->s.n * sizeof(int);
  struct mirror m = mirror_create(r);
  const auto restore = [&] { run_restore(r); };
  times_print(o, "calls", "forces x 100: x up; f down", r->block, "ms", 1e3, restore, [&] {
    for (int k = 0; k < CALLS; k++) {
      CUDA(cudaMemcpyAsync(r->s.x[0], m.x, bytes, cudaMemcpyHostToDevice, r->stream));
      part_run<FORCES>(r, 0, 0);
      run_wait(r);
      CUDA(cudaMemcpyAsync(m.f, r->s.f, bytes, cudaMemcpyDeviceToHost, r->stream));
      run_wait(r);
    }
  });
  times_print(o, "calls", "integration x 100: f up; x and v down", r->block, "ms", 1e3, restore,
              [&] {
                for (int k = 0; k < CALLS; k++) {
                  CUDA(cudaMemcpyAsync(r->s.f, m.f, bytes, cudaMemcpyHostToDevice, r->stream));
                  part_run<FIRST>(r, 0, 0);
                  part_run<SECOND>(r, 0, 0);
                  run_wait(r);
                  CUDA(cudaMemcpyAsync(m.x, r->s.x[0], bytes, cudaMemcpyDeviceToHost, r->stream));
                  CUDA(cudaMemcpyAsync(m.v, r->s.v, bytes, cudaMemcpyDeviceToHost, r->stream));
                  run_wait(r);
                }
              });
  copy(r, m.x, r->x, bytes);
  times_print(o, "calls", "list: x up; count and list down", r->block, "ms", 1e3, restore, [&] {
    CUDA(cudaMemcpyAsync(r->s.x[0], m.x, bytes, cudaMemcpyHostToDevice, r->stream));
    list_run(r);
    run_wait(r);
    CUDA(cudaMemcpyAsync(m.count, r->s.count, row, cudaMemcpyDeviceToHost, r->stream));
    CUDA(cudaMemcpyAsync(m.list, r->s.list, row * (size_t)r->s.rows, cudaMemcpyDeviceToHost,
                         r->stream));
    run_wait(r);
  });
  mirror_destroy(&m);
}

/* ---------------------------------------------------------------- copies */

/* Microseconds of one copy, by the clock of the host with the wait for it, and by events. kind: of
   the memory of the host. */
static void copy_measure(const struct options *o, const struct run *r, const char *name,
                         const char *kind, void *device, void *host, size_t bytes)
{
  static const cudaMemcpyKind ways[] = {cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost};
  const auto nothing = [] {};
  for (const cudaMemcpyKind way : ways) {
    const int up = way == cudaMemcpyHostToDevice;
    char what[80];
    const auto submit = [&] {
      CUDA(cudaMemcpyAsync(up ? device : host, up ? host : device, bytes, way, r->stream));
    };
    snprintf(what, sizeof what, "%s %s %s %zu B", name, up ? "up" : "down", kind, bytes);
    times_print(o, "copies", what, 0, "us", 1e6, nothing, [&] {
      submit();
      run_wait(r);
    });
    snprintf(what, sizeof what, "%s %s %s by events", name, up ? "up" : "down", kind);
    events_print(o, r, "copies", what, "us", 1e6, nothing, submit);
  }
}

static void copies_measure(const struct options *o, const struct run *r)
{
  const size_t n = (size_t)r->s.n;
  const struct {
    const char *name;
    void *device;
    size_t bytes;
  } arrays[] = {{"parameters", r->s.x[1], sizeof r->s},
                {"positions", r->s.x[1], n * sizeof(float4)},
                {"list", r->s.list, n * (size_t)r->s.rows * sizeof(int)}};
  for (const auto &a : arrays) {
    void *pageable = room(a.bytes, 1), *pinned;
    CUDA(cudaMallocHost(&pinned, a.bytes));
    copy(r, pageable, a.device, a.bytes);
    copy(r, pinned, a.device, a.bytes);
    copy_measure(o, r, a.name, "pageable", a.device, pageable, a.bytes);
    copy_measure(o, r, a.name, "pinned", a.device, pinned, a.bytes);
    CUDA(cudaFreeHost(pinned));
    free(pageable);
  }
}

/* ---------------------------------------------------------------- launches */

static __global__ void empty_kernel(void) {}

static __global__ void barriers_kernel(int barriers)
{
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  for (int k = 0; k < barriers; k++)
    grid.sync();
}

static void empty_run(const struct run *r)
{
  empty_kernel<<<blocks_of(r), (unsigned)r->block, 0, r->stream>>>();
  CUDA(cudaGetLastError());
}

static void empty_100(const struct run *r, int)
{
  for (int k = 0; k < CALLS; k++)
    empty_run(r);
}

static void barriers_run(const struct run *r, int barriers)
{
  void *arguments[] = {&barriers};
  CUDA(cudaLaunchCooperativeKernel((const void *)barriers_kernel, dim3((unsigned)r->grid),
                                   dim3((unsigned)r->block), arguments, 0, r->stream));
  run_wait(r);
}

/* Microseconds a launch, of kernels that do nothing on the grid of a step. */
static void launches_measure(const struct options *o, const struct run *r)
{
  const auto nothing = [] {};
  const double each = 1e6 / CALLS;
  cudaGraphExec_t graph = graph_create(r, empty_100);
  times_print(o, "launches", "empty: the call alone", r->block, "us", each, nothing,
              [&] { empty_100(r, 0); });
  times_print(o, "launches", "empty: 100; then a wait", r->block, "us", each, nothing, [&] {
    empty_100(r, 0);
    run_wait(r);
  });
  times_print(o, "launches", "empty: a wait after each", r->block, "us", each, nothing, [&] {
    for (int k = 0; k < CALLS; k++) {
      empty_run(r);
      run_wait(r);
    }
  });
  times_print(o, "launches", "graph of 100: a node", r->block, "us", each, nothing, [&] {
    CUDA(cudaGraphLaunch(graph, r->stream));
    run_wait(r);
  });
  times_print(o, "launches", "graph of 100: the call alone", r->block, "us", 1e6, nothing,
              [&] { CUDA(cudaGraphLaunch(graph, r->stream)); });
  times_print(o, "launches", "cooperative without barriers; a wait", r->block, "us", 1e6, nothing,
              [&] { barriers_run(r, 0); });
  times_print(o, "launches", "cooperative with 100 barriers; a wait", r->block, "us", 1e6, nothing,
              [&] { barriers_run(r, BARRIERS); });
  CUDA(cudaGraphExecDestroy(graph));
}

static void costs_measure(const struct options *o, struct run *r)
{
  for (const int block : block_sizes) {
    block_set(r, block);
    kernels_measure(o, r);
    launches_measure(o, r);
  }
  block_set(r, BLOCK);
  calls_measure(o, r);
  copies_measure(o, r);
}

#endif
