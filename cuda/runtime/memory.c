/* Device memory of the cuda backend: arrays that grow and keep their contents. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "cuda/runtime/gpu.h"

struct array {
  void **p;
  const char *name;
  int bytes, keep;
};

static struct array field_array(struct beads *beads, int f, int keep)
{
  return (struct array){beads_field(beads, f), keep ? field_info[f].name : "spare for sorting",
                        (int)field_bytes(f), keep};
}

/* Lists every array with an element per bead, and returns their number. */
static int arrays_of(struct gpu *c, struct array *out)
{
  const int axis = c->arrays.axis_bytes, second = cuda_axes_bytes(c) - axis;
  int n = 0;
  for (int f = 0; f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    out[n++] = field_array(&c->arrays.beads, f, 1);
    out[n++] = field_array(&c->arrays.spare, f, 0);
  }
  const struct array rest[] = {{(void **)&c->arrays.id, "id", 8, 1},
                               {(void **)&c->arrays.spare_id, "spare for sorting", 8, 0},
                               {(void **)&c->arrays.old_position, "old build position", 12, 1},
                               {(void **)&c->arrays.spare_old, "spare for sorting", 12, 0},
                               {(void **)&c->arrays.record, "position and type record", 16, 1},
                               {&c->arrays.axis[0], "axis and charge record", axis, 1},
                               {&c->arrays.axis[1], "second axis record", second, 1},
                               {(void **)&c->sorting.sorted, "record in the order of cells", 16, 0},
                               {(void **)&c->sorting.key, "key to sort", 8, 0},
                               {(void **)&c->sorting.key_sorted, "sorted key", 8, 1},
                               {(void **)&c->sorting.value, "index to sort", 4, 0},
                               {(void **)&c->sorting.order, "sorted index", 4, 0},
                               {(void **)&c->arrays.force, "force", 24, 0},
                               {(void **)&c->arrays.torque, "torque", 24, 0},
                               {(void **)&c->bonded.row, "row of bonded terms", 4, 0},
                               {(void **)&c->sorting.flag, "boundary flag", 4, 1},
                               {(void **)&c->sorting.group, "group", 1, 0},
                               {(void **)&c->sorting.group_sorted, "sorted group", 1, 0}};
  memcpy(out + n, rest, sizeof rest);
  n += (int)(sizeof rest / sizeof rest[0]);
  if (c->config.n_baths > 1) out[n++] = (struct array){(void **)&c->arrays.bath, "heat bath", 1, 1};
  if (c->clusters.present)
    out[n++] = (struct array){(void **)&c->clusters.lead, "lead bead of its cluster", 4, 1};
  if (c->clusters.sites)
    out[n++] = (struct array){(void **)&c->clusters.site_force, "force on sites", 24, 0};
  for (int l = 0; l < c->config.plan->n_passes; l++) {
    out[n++] = (struct array){(void **)&c->list[l].place, "bead at a place",
                              (int)sizeof(struct cuda_place), 0};
    out[n++] = (struct array){(void **)&c->list[l].head, "rows in the lists", 8, 0};
  }
  return n;
}

enum { ARRAYS_MOST = 2 * FIELDS + 25 + 2 * PAIR_PASSES_MOST };

/* Some arrays have entries beyond the last bead: places of the work orders. */
static int64_t beyond(const struct gpu *c)
{
  int half = 0;
  for (int l = 0; l < c->config.plan->n_passes; l++)
    half = c->list[l].half > half ? c->list[l].half : half;
  return 2LL * half * PLACES_ALIGN;
}

/* Estimated memory per bead: arrays, lists (all as long as the longest), and cells, bonded terms
   and scratch. If lists have been built, at least what is allocated now. */
enum { BYTES_PARTNER = 6, BYTES_OTHER = 64 };
static double bytes_a_bead(struct gpu *c, int64_t bytes)
{
  struct array array[ARRAYS_MOST];
  int n = c->base.n + c->base.n_halo, arrays = arrays_of(c, array);
  double expected = BYTES_OTHER + BYTES_PARTNER * c->config.partners;
  for (int k = 0; k < arrays; k++)
    expected += array[k].bytes;
  return n > 0 ? fmax(expected, (double)(c->memory.bytes + bytes) / n) : expected;
}

/* The part of free memory that beads can use: the rest is for halos and list builds. */
static const double usable_part = 0.95, gib = 1073741824.0;

static void refuse(struct gpu *c, int64_t bytes, const char *what)
{
  size_t available = 0, all = 0;
  (void)cudaGetLastError();
  CUDA(cudaMemGetInfo(&available, &all));
  double each = bytes_a_bead(c, bytes), total = (double)c->config.n_total;
  double usable = usable_part * ((double)available + (double)c->memory.bytes);
  double gpus = ceil(total * each / fmax(usable, 1));
  if (c->base.n > 0) gpus = fmax(gpus, floor(total / c->base.n) + 1);
  die(STATUS_INPUT,
      "the memory of the GPU does not suffice (%s, %s: %.3f GiB more): %.0f beads need about %.2f "
      "GiB, %.0f bytes each, and this GPU of %.1f GiB has %.2f GiB for them: use about %.0f GPUs, "
      "a rank each, or end what else runs there",
      c->description, what, (double)bytes / gib, total, total * each / gib, each, (double)all / gib,
      usable / gib, fmax(gpus, 2));
}

/* Adds bytes to a use of memory. */
static void note(struct gpu *c, const char *what, int64_t bytes)
{
  int k = 0;
  while (k < c->memory.uses && strcmp(c->memory.use[k].name, what))
    k++;
  assert(k < MEMORY_USES_MOST);
  if (k == c->memory.uses) c->memory.use[c->memory.uses++].name = what;
  c->memory.use[k].bytes += bytes;
  c->memory.bytes += bytes;
}

void cuda_grow(struct gpu *c, void **p, int64_t *room, int64_t bytes, int64_t keep,
               const char *what)
{
  void *grown = NULL;
  if (bytes <= *room) return;
  cudaError_t error = cudaMalloc(&grown, (size_t)bytes);
  if (error == cudaErrorMemoryAllocation && keep == 0 && *p) {
    CUDA(cudaFree(*p));
    note(c, what, -*room);
    *p = NULL;
    *room = 0;
    (void)cudaGetLastError();
    error = cudaMalloc(&grown, (size_t)bytes);
  }
  if (error == cudaErrorMemoryAllocation) refuse(c, bytes, what);
  CUDA(error);
  if (keep > 0) {
    CUDA(cudaMemcpyAsync(grown, *p, (size_t)keep, cudaMemcpyDeviceToDevice, c->streams.main));
    CUDA(cudaStreamSynchronize(c->streams.main));
  }
  CUDA(cudaFree(*p));
  note(c, what, bytes - *room);
  *p = grown;
  *room = bytes;
}

void *cuda_uploaded(struct gpu *c, const void *from, int64_t bytes, const char *what)
{
  void *to = NULL;
  int64_t room = 0;
  cuda_grow(c, &to, &room, bytes > 0 ? bytes : 16, 0, what);
  if (bytes > 0) CUDA(cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyHostToDevice));
  return to;
}

struct bead_set cuda_bead_set(struct gpu *c, const struct bead_group *from, const char *what)
{
  struct bead_set s;
  s.type = cuda_uploaded(c, from->type, c->config.ff->n_types, what);
  s.n_ranges = from->n_ranges;
  s.range = cuda_uploaded(c, from->range, s.n_ranges * (int64_t)sizeof *s.range, what);
  return s;
}

void cuda_bead_set_free(const struct bead_set *s)
{
  CUDA(cudaFree((void *)(uintptr_t)s->type));
  CUDA(cudaFree((void *)(uintptr_t)s->range));
}

void *cuda_scratch(struct gpu *c, int64_t bytes)
{
  if (bytes > c->memory.scratch_room)
    cuda_grow(c, &c->memory.scratch, &c->memory.scratch_room, bytes + bytes / 4 + 4096, 0,
              "scratch for sorting");
  return c->memory.scratch;
}

struct columns cuda_columns(struct gpu *c)
{
  struct columns all;
  memset(&all, 0, sizeof all);
  for (int f = 0; f < FIELDS; f++) {
    if (!(field_info[f].flags & MIGRATE)) continue;
    struct column *to = &all.column[all.n++];
    to->data = *beads_field(&c->arrays.beads, f);
    to->spare = *beads_field(&c->arrays.spare, f);
    to->words = (int)field_bytes(f) / 4;
  }
  all.id = all.n;
  all.column[all.n].data = (uint32_t *)c->arrays.id;
  all.column[all.n].spare = (uint32_t *)c->arrays.spare_id;
  all.column[all.n++].words = 2;
  all.column[all.n].data = (uint32_t *)c->arrays.old_position;
  all.column[all.n].spare = (uint32_t *)c->arrays.spare_old;
  all.column[all.n++].words = 3;
  for (int k = 0; k < all.n; k++)
    all.words += all.column[k].words;
  return all;
}

void cuda_columns_swap(struct gpu *c)
{
  struct beads beads = c->arrays.beads;
  int64_t *id = c->arrays.id;
  int32_t *old = c->arrays.old_position;
  c->arrays.beads = c->arrays.spare;
  c->arrays.spare = beads;
  c->arrays.id = c->arrays.spare_id;
  c->arrays.spare_id = id;
  c->arrays.old_position = c->arrays.spare_old;
  c->arrays.spare_old = old;
}

void cuda_reserve(struct gpu *c, int64_t n)
{
  struct array array[ARRAYS_MOST];
  if (n <= c->arrays.room) return;
  int64_t held = c->base.n + c->sorting.n_migrated + c->base.n_halo,
          room = held > 0 ? n + n / 8 + 256 : n + 256;
  const int64_t more = beyond(c);
  int arrays = arrays_of(c, array);
  for (int k = 0; k < arrays; k++) {
    int64_t bytes = c->arrays.room ? (c->arrays.room + more) * array[k].bytes : 0;
    cuda_grow(c, array[k].p, &bytes, (room + more) * array[k].bytes,
              array[k].keep ? held * array[k].bytes : 0, array[k].name);
  }
  c->arrays.room = (int)room;
}
