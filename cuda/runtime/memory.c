#include "cuda/runtime/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "cuda/runtime/graphs.h"
#include "cuda/runtime/streams.h"

enum memory_kind { MEMORY_HOST, MEMORY_PINNED, MEMORY_DEVICE };
struct allocation {
  void *p;
  int64_t bytes;
  enum memory_kind kind;
};

/* A per-bead array: the pointer to it, its use, bytes of an element, and cuda_per_bead's keep. */
struct per_bead {
  void **p;
  const char *what;
  int bytes, keep;
};

enum { PER_BEAD_MOST = 2 * FIELDS + 25 + 2 * PAIR_PASSES_MOST };

/* Written by runtime/memory.c. */
struct gpu_memory {
  struct allocation *all; /* [room] */
  int n, room;
  int64_t bytes;                           /* device memory in all */
  struct memory_use use[MEMORY_USES_MOST]; /* [uses] */
  int uses;
  struct per_bead array[PER_BEAD_MOST]; /* [arrays] */
  int arrays, beyond; /* beyond: elements of each array after those of the beads */
  void *scratch;
};

void cuda_memory_open(struct gpu *c)
{
  c->memory = alloc_array(1, sizeof *c->memory);
  cuda_depends(c, GRAPH_STEPS | GRAPH_BUILDS, &c->memory->scratch, sizeof c->memory->scratch);
}

static void allocation_free(const struct allocation *a)
{
  if (a->kind == MEMORY_DEVICE) CUDA(cudaFree(a->p));
  if (a->kind == MEMORY_PINNED) CUDA(cudaFreeHost(a->p));
  if (a->kind == MEMORY_HOST) free(a->p);
}

void cuda_memory_close(struct gpu *c)
{
  for (int k = 0; k < c->memory->n; k++)
    allocation_free(&c->memory->all[k]);
  free(c->memory->all);
  free(c->memory);
}

int cuda_memory_uses(struct backend *b, struct memory_use *out)
{
  const struct gpu_memory *m = gpu_of(b)->memory;
  memcpy(out, m->use, sizeof m->use);
  return m->uses;
}

/* The entry of the allocation p; p NULL: a new entry. */
static struct allocation *allocation_of(struct gpu_memory *m, const void *p, enum memory_kind kind)
{
  int k = 0;
  while (k < m->n && (!p || m->all[k].p != p))
    k++;
  if (k == m->room) {
    m->room = 2 * m->room + 64;
    m->all = grow_array(m->all, m->room, sizeof *m->all);
  }
  if (k == m->n) m->all[m->n++] = (struct allocation){NULL, 0, kind};
  return &m->all[k];
}

void *cuda_state(struct gpu *c, size_t bytes)
{
  return allocation_of(c->memory, NULL, MEMORY_HOST)->p = alloc_array(1, bytes);
}

void cuda_pinned(struct gpu *c, void *p, size_t bytes)
{
  struct allocation *a = allocation_of(c->memory, *(void **)p, MEMORY_PINNED);
  CUDA(cudaFreeHost(a->p));
  CUDA(cudaMallocHost(&a->p, bytes));
  memset(a->p, 0, bytes);
  *(void **)p = a->p;
}

int64_t cuda_room(const struct gpu *c, const void *p)
{
  return p ? allocation_of(c->memory, p, MEMORY_DEVICE)->bytes : 0;
}

/* Estimated device memory per bead, in bytes: per-bead arrays, lists (all as long as the longest),
   cells, bonded terms and scratch. Once there are beads, at least what they have allocated plus
   `bytes`. */
enum { BYTES_PARTNER = 6, BYTES_OTHER = 64 };
static double bytes_a_bead(const struct gpu *c, int64_t bytes)
{
  const struct gpu_memory *m = c->memory;
  int n = c->base.n + c->base.n_halo;
  double expected = BYTES_OTHER + BYTES_PARTNER * c->config.partners;
  for (int k = 0; k < m->arrays; k++)
    expected += m->array[k].bytes;
  return n > 0 ? fmax(expected, (double)(m->bytes + bytes) / n) : expected;
}

/* Fraction of free memory for beads: the rest is for halos and list builds. */
static const double usable_part = 0.95, gib = 1073741824.0;

static void refuse(const struct gpu *c, int64_t bytes, const char *what)
{
  size_t available = 0, all = 0;
  (void)cudaGetLastError();
  CUDA(cudaMemGetInfo(&available, &all));
  double each = bytes_a_bead(c, bytes), total = (double)c->config.n_total;
  double usable = usable_part * ((double)available + (double)c->memory->bytes);
  double gpus = ceil(total * each / fmax(usable, 1));
  if (c->base.n > 0) gpus = fmax(gpus, floor(total / c->base.n) + 1);
  die(STATUS_INPUT,
      "the memory of the GPU does not suffice (%s, %s: %.3f GiB more): %.0f beads need about %.2f "
      "GiB, %.0f bytes each, and this GPU of %.1f GiB has %.2f GiB for them: use about %.0f GPUs, "
      "a rank each, or stop other programs on this GPU",
      c->device->description, what, (double)bytes / gib, total, total * each / gib, each,
      (double)all / gib, usable / gib, fmax(gpus, 2));
}

/* Adds bytes to the account of the use `what`. */
static void note(struct gpu_memory *m, const char *what, int64_t bytes)
{
  int k = 0;
  while (k < m->uses && strcmp(m->use[k].name, what))
    k++;
  assert(k < MEMORY_USES_MOST);
  if (k == m->uses) m->use[m->uses++].name = what;
  m->use[k].bytes += bytes;
  m->bytes += bytes;
}

/* If memory runs out and nothing is kept, frees the old array first and tries again. */
void cuda_grow(struct gpu *c, void *p, int64_t bytes, int64_t keep, const char *what)
{
  void *grown = NULL, **old = p;
  struct gpu_memory *m = c->memory;
  if (bytes <= cuda_room(c, *old)) return;
  struct allocation *a = allocation_of(m, *old, MEMORY_DEVICE);
  cudaError_t error = cudaMalloc(&grown, (size_t)bytes);
  if (error == cudaErrorMemoryAllocation && keep == 0 && a->p) {
    CUDA(cudaFree(a->p));
    note(m, what, -a->bytes);
    a->p = NULL;
    a->bytes = 0;
    (void)cudaGetLastError();
    error = cudaMalloc(&grown, (size_t)bytes);
  }
  if (error == cudaErrorMemoryAllocation) refuse(c, bytes, what);
  CUDA(error);
  if (keep > 0) {
    CUDA(cudaMemcpyAsync(grown, *old, (size_t)keep, cudaMemcpyDeviceToDevice, c->streams->main));
    CUDA(cudaStreamSynchronize(c->streams->main));
  }
  CUDA(cudaFree(a->p));
  note(m, what, bytes - a->bytes);
  a->bytes = bytes;
  *old = a->p = grown;
}

void cuda_grow_more(struct gpu *c, void *p, int64_t bytes, const char *what)
{
  if (bytes > cuda_room(c, *(void **)p)) cuda_grow(c, p, bytes + bytes / 8 + 64, 0, what);
}

void cuda_upload(struct gpu *c, void *to, const void *from, int64_t bytes, const char *what)
{
  *(void **)to = NULL;
  cuda_grow(c, to, bytes > 0 ? bytes : 16, 0, what);
  if (bytes > 0) CUDA(cudaMemcpy(*(void **)to, from, (size_t)bytes, cudaMemcpyHostToDevice));
}

struct bead_set cuda_bead_set(struct gpu *c, const struct bead_group *from, const char *what)
{
  struct bead_set s;
  s.n_ranges = from->n_ranges;
  CUDA_UPLOAD(c, &s.type, from->type, c->config.ff->n_types, what);
  CUDA_UPLOAD(c, &s.range, from->range, s.n_ranges, what);
  return s;
}

void *cuda_scratch(struct gpu *c, int64_t bytes)
{
  if (bytes > cuda_room(c, c->memory->scratch))
    cuda_grow(c, &c->memory->scratch, bytes + bytes / 4 + 4096, 0, "scratch for sorting");
  return c->memory->scratch;
}

void cuda_per_bead(struct gpu *c, void *p, int bytes, int keep, int beyond, const char *what)
{
  struct gpu_memory *m = c->memory;
  assert(m->arrays < PER_BEAD_MOST);
  m->array[m->arrays++] = (struct per_bead){p, what, bytes, keep};
  if (beyond > m->beyond) m->beyond = beyond;
}

void cuda_per_bead_grow(struct gpu *c, int64_t n, int64_t held)
{
  struct gpu_memory *m = c->memory;
  for (int k = 0; k < m->arrays; k++) {
    const struct per_bead *a = &m->array[k];
    cuda_grow(c, a->p, (n + m->beyond) * a->bytes, a->keep ? held * a->bytes : 0, a->what);
  }
}
