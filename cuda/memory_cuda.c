/* Device memory of the cuda backend: arrays that grow and keep their contents. */
#include <string.h>

#include "backend_cuda.h"
#include "log.h"

static void refuse(struct gpu *c, int64_t bytes, const char *what)
{
  size_t available = 0, all = 0;
  (void)cudaGetLastError();
  CUDA(cudaMemGetInfo(&available, &all));
  double needed = (double)(c->held + bytes) / 1073741824.0, total = (double)all / 1073741824.0;
  die(STATUS_INPUT,
      "%s: %s: %.3f GiB more are needed and %.3f of %.3f GiB are free (%.3f GiB held for %lld of "
      "%lld beads): use more ranks, about %.0f times as many GPUs as now",
      c->text, what, (double)bytes / 1073741824.0, (double)available / 1073741824.0, total,
      (double)c->held / 1073741824.0, (long long)c->base.n, (long long)c->config.n_total,
      needed / total + 1);
}

void cuda_grow(struct gpu *c, void **p, int64_t *room, int64_t want, int64_t keep, const char *what)
{
  void *grown = NULL;
  if (want <= *room) return;
  cudaError_t error = cudaMalloc(&grown, (size_t)want);
  if (error == cudaErrorMemoryAllocation && keep == 0 && *p) {
    CUDA(cudaFree(*p));
    c->held -= *room;
    *p = NULL;
    *room = 0;
    (void)cudaGetLastError();
    error = cudaMalloc(&grown, (size_t)want);
  }
  if (error == cudaErrorMemoryAllocation) refuse(c, want, what);
  CUDA(error);
  if (keep > 0) {
    CUDA(cudaMemcpyAsync(grown, *p, (size_t)keep, cudaMemcpyDeviceToDevice, c->stream));
    CUDA(cudaStreamSynchronize(c->stream));
  }
  CUDA(cudaFree(*p));
  c->held += want - *room;
  *p = grown;
  *room = want;
}

void *cuda_scratch(struct gpu *c, int64_t bytes)
{
  if (bytes > c->scratch_room)
    cuda_grow(c, &c->scratch, &c->scratch_room, bytes + bytes / 4 + 4096, 0, "scratch for sorting");
  return c->scratch;
}

struct columns cuda_columns(struct gpu *c)
{
  struct columns all;
  memset(&all, 0, sizeof all);
  for (int f = 0; f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    struct column *to = &all.column[all.n++];
    to->data = *beads_field(&c->beads, f);
    to->spare = *beads_field(&c->spare, f);
    to->words = field_info[f].components * field_info[f].bytes / 4;
  }
  all.column[all.n].data = (uint32_t *)c->id;
  all.column[all.n].spare = (uint32_t *)c->spare_id;
  all.column[all.n++].words = 2;
  all.column[all.n].data = (uint32_t *)c->old_position;
  all.column[all.n].spare = (uint32_t *)c->spare_old;
  all.column[all.n++].words = 3;
  for (int k = 0; k < all.n; k++)
    all.words += all.column[k].words;
  return all;
}

void cuda_columns_swap(struct gpu *c)
{
  struct beads beads = c->beads;
  int64_t *id = c->id;
  int32_t *old = c->old_position;
  c->beads = c->spare;
  c->spare = beads;
  c->id = c->spare_id;
  c->spare_id = id;
  c->old_position = c->spare_old;
  c->spare_old = old;
}

struct array {
  void **p;
  int bytes, keep;
};

/* Every array with an element a bead. */
static int arrays_of(struct gpu *c, struct array *out)
{
  int n = 0, axis = c->axis_bytes;
  for (int f = 0; f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    int bytes = field_info[f].components * field_info[f].bytes;
    out[n++] = (struct array){beads_field(&c->beads, f), bytes, 1};
    out[n++] = (struct array){beads_field(&c->spare, f), bytes, 0};
  }
  const struct array rest[] = {{(void **)&c->id, 8, 1},
                               {(void **)&c->spare_id, 8, 0},
                               {(void **)&c->old_position, 12, 1},
                               {(void **)&c->spare_old, 12, 0},
                               {(void **)&c->record, 16, 1},
                               {&c->axis, axis, 1},
                               {(void **)&c->sorted, 16, 0},
                               {(void **)&c->key, 8, 0},
                               {(void **)&c->key_sorted, 8, 1},
                               {(void **)&c->value, 4, 0},
                               {(void **)&c->order, 4, 0},
                               {(void **)&c->force, 24, 0},
                               {(void **)&c->torque, 24, 0},
                               {(void **)&c->bonded_row, 4, 0},
                               {(void **)&c->flag, 4, 1},
                               {(void **)&c->group, 1, 0},
                               {(void **)&c->group_sorted, 1, 0},
                               {(void **)&c->list.place, 4, 0},
                               {(void **)&c->list.head, sizeof *c->list.head, 0}};
  for (size_t k = 0; k < sizeof rest / sizeof rest[0]; k++)
    out[n++] = rest[k];
  return n;
}

/* Some arrays have entries beyond the last bead. */
enum { ARRAYS_MOST = 2 * FIELDS + 24, BEYOND = 2 * CLASSES * PLACES_ALIGN };

void cuda_reserve(struct gpu *c, int64_t n)
{
  struct array array[ARRAYS_MOST];
  if (n <= c->room) return;
  int64_t held = c->base.n + c->base.n_halo, room = c->room ? n + n / 8 + 256 : n + 256;
  int arrays = arrays_of(c, array);
  for (int k = 0; k < arrays; k++) {
    int64_t bytes = c->room ? ((int64_t)c->room + BEYOND) * array[k].bytes : 0;
    cuda_grow(c, array[k].p, &bytes, (room + BEYOND) * array[k].bytes,
              array[k].keep ? held * array[k].bytes : 0, "arrays of beads");
  }
  c->room = (int)room;
}
