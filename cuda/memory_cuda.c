/* Device memory of the cuda backend: arrays that grow and keep their contents. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "backend_cuda.h"
#include "log.h"

struct array {
  void **p;
  const char *name;
  int bytes, keep;
};

static struct array field_array(struct beads *beads, int f, int keep)
{
  return (struct array){beads_field(beads, f), keep ? field_info[f].name : "spare for sorting",
                        field_info[f].components * field_info[f].bytes, keep};
}

/* Every array with an element a bead. */
static int arrays_of(struct gpu *c, struct array *out)
{
  int n = 0;
  for (int f = 0; f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    out[n++] = field_array(&c->beads, f, 1);
    out[n++] = field_array(&c->spare, f, 0);
  }
  const struct array rest[] = {{(void **)&c->id, "id", 8, 1},
                               {(void **)&c->spare_id, "spare for sorting", 8, 0},
                               {(void **)&c->old_position, "old build position", 12, 1},
                               {(void **)&c->spare_old, "spare for sorting", 12, 0},
                               {(void **)&c->record, "position and type record", 16, 1},
                               {&c->axis, "axis and charge record", c->axis_bytes, 1},
                               {(void **)&c->sorted, "record in the order of cells", 16, 0},
                               {(void **)&c->key, "key to sort", 8, 0},
                               {(void **)&c->key_sorted, "sorted key", 8, 1},
                               {(void **)&c->value, "index to sort", 4, 0},
                               {(void **)&c->order, "sorted index", 4, 0},
                               {(void **)&c->force, "force", 24, 0},
                               {(void **)&c->torque, "torque", 24, 0},
                               {(void **)&c->bonded_row, "row of bonded terms", 4, 0},
                               {(void **)&c->flag, "boundary flag", 4, 1},
                               {(void **)&c->group, "group", 1, 0},
                               {(void **)&c->group_sorted, "sorted group", 1, 0},
                               {(void **)&c->list.place, "bead at a place", 4, 0},
                               {(void **)&c->list.head, "rows in the lists", 8, 0}};
  memcpy(out + n, rest, sizeof rest);
  return n + (int)(sizeof rest / sizeof rest[0]);
}

/* Some arrays have entries beyond the last bead. */
enum { ARRAYS_MOST = 2 * FIELDS + 24, BEYOND = 2 * CLASSES * PLACES_ALIGN };

/* Expected of a bead in all: arrays, lists (as long as the longest), and cells, bonded terms and
   scratch. Lists that were built already say more. */
enum { BYTES_PARTNER = 6, BYTES_OTHER = 64 };
static double bytes_a_bead(struct gpu *c, int64_t bytes)
{
  struct array array[ARRAYS_MOST];
  int n = c->base.n + c->base.n_halo, arrays = arrays_of(c, array);
  double expected = BYTES_OTHER + BYTES_PARTNER * c->config.partners;
  for (int k = 0; k < arrays; k++)
    expected += array[k].bytes;
  return n > 0 ? fmax(expected, (double)(c->held + bytes) / n) : expected;
}

/* Of free memory, what a backend can use: the rest goes to halos and to what a build needs. */
static const double usable_part = 0.95, gib = 1073741824.0;

static void refuse(struct gpu *c, int64_t bytes, const char *what)
{
  size_t available = 0, all = 0;
  (void)cudaGetLastError();
  CUDA(cudaMemGetInfo(&available, &all));
  double each = bytes_a_bead(c, bytes), total = (double)c->config.n_total;
  double usable = usable_part * ((double)available + (double)c->held);
  double gpus = ceil(total * each / fmax(usable, 1));
  if (c->base.n > 0) gpus = fmax(gpus, floor(total / c->base.n) + 1);
  die(STATUS_INPUT,
      "the memory of the GPU does not suffice (%s, %s: %.3f GiB more): %.0f beads need about %.2f "
      "GiB, %.0f bytes each, and this GPU of %.1f GiB has %.2f GiB for them: use about %.0f GPUs, "
      "a rank each, or end what else runs there",
      c->text, what, (double)bytes / gib, total, total * each / gib, each, (double)all / gib,
      usable / gib, fmax(gpus, 2));
}

static void note(struct gpu *c, const char *what, int64_t bytes)
{
  int k = 0;
  while (k < c->parts && strcmp(c->part[k].name, what))
    k++;
  assert(k < MEMORY_PARTS_MOST);
  if (k == c->parts) c->part[c->parts++].name = what;
  c->part[k].bytes += bytes;
  c->held += bytes;
}

void cuda_grow(struct gpu *c, void **p, int64_t *room, int64_t want, int64_t keep, const char *what)
{
  void *grown = NULL;
  if (want <= *room) return;
  cudaError_t error = cudaMalloc(&grown, (size_t)want);
  if (error == cudaErrorMemoryAllocation && keep == 0 && *p) {
    CUDA(cudaFree(*p));
    note(c, what, -*room);
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
  note(c, what, want - *room);
  *p = grown;
  *room = want;
}

void *cuda_uploaded(struct gpu *c, const void *from, int64_t bytes, const char *what)
{
  void *to = NULL;
  int64_t room = 0;
  cuda_grow(c, &to, &room, bytes > 0 ? bytes : 16, 0, what);
  if (bytes > 0) CUDA(cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyHostToDevice));
  return to;
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
  all.id = all.n;
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

void cuda_reserve(struct gpu *c, int64_t n)
{
  struct array array[ARRAYS_MOST];
  if (n <= c->room) return;
  int64_t held = c->base.n + c->gone + c->base.n_halo, room = held > 0 ? n + n / 8 + 256 : n + 256;
  int arrays = arrays_of(c, array);
  for (int k = 0; k < arrays; k++) {
    int64_t bytes = c->room ? ((int64_t)c->room + BEYOND) * array[k].bytes : 0;
    cuda_grow(c, array[k].p, &bytes, (room + BEYOND) * array[k].bytes,
              array[k].keep ? held * array[k].bytes : 0, array[k].name);
  }
  c->room = (int)room;
}
