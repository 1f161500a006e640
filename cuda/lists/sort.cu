/* Sorts the owned beads by cell, then id, and merges them with the halo beads, which peers send in
   the same order, into one table of cells. Columns of cells are half of the list radius wide, or
   all of it where beads are few; cells are a sixth of it high. */
#include <string.h>

#include "base/log.h"
#include "cuda/lists/bonded.h"
#include "cuda/lists/sort.h"
#include "cuda/runtime/chain.cuh"
#include "cuda/runtime/graphs.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/tuning.h"

static struct gpu_sorting *own(struct gpu *c)
{
  return OWN(gpu_sorting, c->sorting);
}

void cuda_sorting_open(struct gpu *c)
{
  struct gpu_sorting *s = NEW_STATE(gpu_sorting, c, sorting);
  cuda_per_bead(c, &s->sorted, sizeof *s->sorted, 0, 0, "record in the order of cells");
  cuda_per_bead(c, &s->key, sizeof *s->key, 0, 0, "key to sort");
  cuda_per_bead(c, &s->key_sorted, sizeof *s->key, 1, 0, "sorted key");
  cuda_per_bead(c, &s->value, sizeof *s->value, 0, 0, "index to sort");
  cuda_per_bead(c, &s->order, sizeof *s->order, 0, 0, "sorted index");
  cuda_per_bead(c, &s->flag, sizeof *s->flag, 1, 0, "boundary flag");
  cuda_per_bead(c, &s->group, 1, 0, 0, "group");
  cuda_per_bead(c, &s->group_sorted, 1, 0, 0, "sorted group");
  cuda_depends(c, GRAPH_BOX, &s->grid, sizeof s->grid);
  cuda_depends(c, GRAPH_BUILDS, s->grid.n, sizeof s->grid.n);
  cuda_depends(c, GRAPH_STEPS | GRAPH_BUILDS, &s->domain,
               sizeof *s - offsetof(struct gpu_sorting, domain));
}

/* Cells of the table: one more for each column, which holds no beads and marks the end of the
   column. */
static int64_t cells_with_ends(const struct grid *g)
{
  return grid_cells(g) + (int64_t)g->n[0] * g->n[1];
}

/* The number of the cell of a position among these. */
DEVICE uint64_t cell_at(const struct grid *g, int x, int y, int z)
{
  const int64_t column = (int64_t)cells_place(x, g->n[0]) * g->n[1] + cells_place(y, g->n[1]);
  return (uint64_t)(column * (g->n[2] + 1) + cells_place(z, g->n[2]));
}

#define KEY_GONE (~UINT64_C(0)) /* of a migrated bead, whose id is 0 */

/* Sets the sort keys (cell, id) of beads [first, end), and their indices if value is not NULL. */
static __global__ void keys_set(int first, int end, struct grid g, int id_bits,
                                const int32_t *position, const int64_t *id, uint64_t *key,
                                int *value)
{
  int64_t i = first + thread_index();
  if (i >= end) return;
  const int32_t *x = position + 3 * i;
  const uint64_t me = (uint64_t)id[i];
  key[i] = me ? cell_at(&g, x[0], x[1], x[2]) << id_bits | me : KEY_GONE;
  if (value) value[i] = (int)i;
}

/* Counting sort, first kernel: counts the beads of each cell and links them. key: the cell of a
   bead. last: 1 + the last bead of the cell; before: 1 + the bead before; 0: none. position NULL:
   build positions are kept. */
static __global__ void cells_count(int n, struct grid g, const int32_t *position,
                                   int32_t *build_position, const int64_t *id, int *count,
                                   int *last, uint64_t *key, int *before)
{
  const int64_t i = thread_index();
  chain_both();
  if (i >= n) return;
  key[i] = KEY_GONE;
  if (!id[i]) return;
  int32_t x[3];
  for (int k = 0; k < 3; k++) {
    x[k] = (position ? position : build_position)[3 * i + k];
    if (position) build_position[3 * i + k] = x[k];
  }
  const uint64_t cell = cell_at(&g, x[0], x[1], x[2]);
  key[i] = cell;
  atomicAdd(&count[cell], 1);
  before[i] = atomicExch(&last[cell], (int)i + 1);
}

/* Second kernel, after a sum: sorts each cell by id. A bead counts the smaller ids of its cell. */
static __global__ void cells_order(int n, int id_bits, const int64_t *id, const uint64_t *key,
                                   const int *start, const int *last, const int *before,
                                   uint64_t *key_sorted, int *order)
{
  const int64_t i = thread_index();
  chain_both();
  if (i >= n || key[i] == KEY_GONE) return;
  const uint64_t cell = key[i];
  const int64_t me = id[i];
  int at = start[cell];
  for (int k = last[cell]; k > 0; k = before[k - 1])
    at += id[k - 1] < me;
  order[at] = (int)i;
  key_sorted[at] = cell << id_bits | (uint64_t)me;
}

static void starts_reserve(struct gpu *c, int64_t cells)
{
  cuda_grow_more(c, &own(c)->start, cells * (int64_t)sizeof(int), "the table of cells");
}

/* Counting sort: sets key_sorted and order, and leaves the table of cells of the first n beads in
   start. */
static void keys_count(struct gpu *c, int n, int id_bits)
{
  const struct grid *g = &c->sorting->grid;
  const int64_t cells = cells_with_ends(g);
  starts_reserve(c, cells);
  cuda_grow_more(c, &own(c)->count, 2 * cells * (int64_t)sizeof(int), "the table of cells");
  int *start = c->sorting->start, *count = c->sorting->count, *last = count + cells;
  const int few = cells <= SUM_FEW_MOST;
  const int64_t *id = c->arrays->id;
  CUDA_CLEAR(c, count, 2 * (size_t)cells * sizeof *count);
  LAUNCH(cells_count, n, THREADS, c, n, *g, c->sorting->is_new ? c->arrays->beads.position : NULL,
         c->arrays->beads.build_position, id, count, last, c->sorting->key, c->sorting->value);
  cuda_sum_before(c, count, start, (int)cells, c->streams->main);
  launch_chained(chain_in_main(c, n, THREADS, few), cells_order, n, id_bits, id, c->sorting->key,
                 start, last, c->sorting->value, c->sorting->key_sorted, c->sorting->order);
}

static void positions_take(struct gpu *c, int n)
{
  const struct beads *b = &c->arrays->beads;
  if (c->sorting->is_new && n > 0)
    CUDA(cudaMemcpyAsync(b->build_position, b->position, 3 * (size_t)n * sizeof(int32_t),
                         cudaMemcpyDeviceToDevice, c->streams->main));
}

/* With several ranks at once: migrants take these positions along. */
void cuda_sorting_begin(struct gpu *c, int keep)
{
  own(c)->is_new = !keep;
  if (c->config.ranks == 1) return;
  positions_take(c, c->base.n);
  own(c)->is_new = 0;
}

/* 1 for counting sort, 0 for radix sort: before there is a grid, or with many more cells than
   beads, because most beads are on other ranks or the box is nearly empty. */
static int cells_are_counted(const struct gpu *c, int n)
{
  const int64_t cells = cells_with_ends(&c->sorting->grid);
  return !c->sorting->coarse && cells > 0 && cells <= (INT64_C(1) << 16) + 4 * (int64_t)n;
}

/* Sets key_sorted and order of the first n beads. */
static void keys_sort(struct gpu *c, int n)
{
  const struct grid *g = &c->sorting->grid;
  const int id_bits = bits_for(c->config.n_total);
  own(c)->counted = cells_are_counted(c, n);
  if (c->sorting->counted) {
    keys_count(c, n, id_bits);
    return;
  }
  positions_take(c, n);
  LAUNCH(keys_set, n, THREADS, c, 0, n, *g, id_bits, c->arrays->beads.build_position, c->arrays->id,
         c->sorting->key, c->sorting->value);
  cuda_sort_keys(c, n, id_bits + bits_for(cells_with_ends(g)), c->streams->main);
}

void cuda_drop_migrated(struct gpu *c)
{
  keys_sort(c, c->base.n + c->arrays->n_migrated);
  cuda_beads_left(c, 0);
  cuda_arrays_gather(c, c->base.n);
}

void cuda_grid_set(struct gpu *c, double radius)
{
  struct gpu_sorting *s = own(c);
  s->coarse = grid_fit(&s->grid, c->reports->build_box, radius, c->config.n_total);
  c->base.n_halo = 0;
}

void cuda_sort(struct gpu *c)
{
  cuda_drop_migrated(c);
  memset(own(c)->received, 0, sizeof own(c)->received);
  if (c->config.ranks > 1)
    CUDA_CLEAR(c, c->sorting->flag, (size_t)c->base.n * sizeof *c->sorting->flag);
}

void cuda_domain_set(struct gpu *c, const struct domain *d)
{
  struct domain *to = &own(c)->domain;
  *to = *d;
  for (int k = 0; k < CUTS; k++)
    to->cut[k].bound = NULL; /* host memory of the caller */
}

void cuda_received(struct gpu *c, int peer, int n)
{
  own(c)->received[peer] = n;
}

/* n sorted runs of beads, [first[r], first[r + 1]): the owned ones, then those of each peer. */
struct key_runs {
  int n, first[PEERS_MOST + 2];
};

static struct key_runs runs_of(const struct gpu *c)
{
  struct key_runs r;
  r.n = 1 + c->sorting->domain.n_peers;
  r.first[0] = 0;
  r.first[1] = c->base.n;
  for (int k = 0; k < c->sorting->domain.n_peers; k++)
    r.first[k + 2] = r.first[k + 1] + c->sorting->received[k];
  return r;
}

/* Number of keys in [first, end) that are below `wanted`; most often all or none. */
DEVICE int keys_below(const uint64_t *key, int first, int end, uint64_t wanted)
{
  int low = first, high = end;
  if (first == end || key[first] >= wanted) return 0;
  if (key[end - 1] < wanted) return end - first;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (key[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low - first;
}

/* The columns along an axis that the domain and its halo touch: two more on either side, since both
   cut cells. */
static void held_along(struct cuda_held *held, const struct gpu *c, int axis)
{
  const int n = c->sorting->grid.n[axis];
  const int64_t whole = INT64_C(1) << 32, more = 2 * (whole / n + 1);
  int64_t low, high;
  held->first[axis] = 0;
  held->n[axis] = n;
  if (!domain_extent(&c->sorting->domain, axis, &low, &high)) return;
  low -= more;
  high += more;
  if (high - low >= whole - more) return;
  held->first[axis] = cells_place((int32_t)(uint32_t)(uint64_t)low, n);
  held->n[axis] = (int)(((high - low) * n >> 32) + 2);
  if (held->n[axis] > n) held->n[axis] = n;
}

struct cuda_held cuda_held(const struct gpu *c)
{
  struct cuda_held held;
  held_along(&held, c, 0);
  held_along(&held, c, 1);
  return held;
}

/* Sets the table of cells: for each column the first sorted bead of each cell, then the end of the
   column. */
static __global__ void starts_set(struct cuda_held held, struct grid g,
                                  const __grid_constant__ struct key_runs runs, int id_bits,
                                  const uint64_t *key, int *start)
{
  const int64_t k = thread_index(), column = k / (g.n[2] + 1);
  int below = 0;
  if (column >= (int64_t)held.n[0] * held.n[1]) return;
  const int64_t x = (held.first[0] + column / held.n[1]) % g.n[0],
                y = (held.first[1] + column % held.n[1]) % g.n[1];
  const int64_t cell = (x * g.n[1] + y) * (g.n[2] + 1) + k % (g.n[2] + 1);
  for (int r = 0; r < runs.n; r++)
    below += keys_below(key, runs.first[r], runs.first[r + 1], (uint64_t)cell << id_bits);
  start[k] = below;
}

/* On one rank: what cells and lists need besides of a bead. */
struct sorted_alone {
  const int64_t *id;
  int *index, *flag; /* struct cuda_ids, NULL: none; of struct gpu_sorting, NULL: several ranks */
};

/* Merges the runs: before a bead are the earlier beads of its run, and the smaller keys of other
   runs. Keys are distinct. */
static __global__ void sorted_set(const __grid_constant__ struct key_runs runs, const uint64_t *key,
                                  const int32_t *position, const int32_t *type,
                                  const struct cuda_type *types, const struct sorted_alone alone,
                                  struct bead_record *sorted)
{
  int i = (int)thread_index(), at = 0;
  chain_both();
  if (i >= runs.first[runs.n]) return;
  if (alone.index) alone.index[alone.id[i]] = i;
  if (alone.flag) alone.flag[i] = 0;
  for (int r = 0; r < runs.n; r++) {
    int first = runs.first[r], end = runs.first[r + 1];
    if (first == end) continue;
    at += i >= first && i < end ? i - first : keys_below(key, first, end, key[i]);
  }
  const int32_t *x = position + 3 * (int64_t)i;
  const struct cuda_type *t = &types[type[i]];
  const unsigned part = (unsigned)t->part, of = (unsigned)t->list_class;
  *(int4 *)(sorted + at) =
      make_int4(x[0], x[1], x[2], (int)(part << PART_SHIFT | of << CLASS_SHIFT | (unsigned)i));
}

void cuda_cells(struct gpu *c)
{
  const struct key_runs runs = runs_of(c);
  int n = c->base.n + c->base.n_halo, id_bits = bits_for(c->config.n_total);
  const struct cuda_held held = cuda_held(c);
  if (n > SORTED_BEAD)
    die(STATUS_INPUT, "more than 2^%d beads and halo beads on one rank; use more ranks",
        (int)CLASS_SHIFT);
  LAUNCH(keys_set, c->base.n_halo, THREADS, c, c->base.n, n, c->sorting->grid, id_bits,
         c->arrays->beads.build_position, c->arrays->id, c->sorting->key_sorted, NULL);
  if (!c->sorting->counted || runs.n > 1) {
    const int64_t starts = (int64_t)held.n[0] * held.n[1] * (c->sorting->grid.n[2] + 1);
    starts_reserve(c, starts);
    LAUNCH(starts_set, starts, THREADS, c, held, c->sorting->grid, runs, id_bits,
           c->sorting->key_sorted, c->sorting->start);
  }
  const struct sorted_alone alone = {c->arrays->id, cuda_ids_index(c),
                                     c->config.ranks == 1 ? c->sorting->flag : NULL};
  launch_chained(chain_in_main(c, n, THREADS, c->sorting->counted && c->config.ranks == 1),
                 sorted_set, runs, c->sorting->key_sorted, c->arrays->beads.build_position,
                 c->arrays->beads.type, c->types->type, alone, c->sorting->sorted);
}

/* Argument of the kernels that find beads on one point; arrays are device memory. */
struct point_job {
  int n, owned; /* owned beads come first */
  const struct bead_record *sorted;
  const int64_t *id;
  const int *slot, *exclude_start; /* slot: bonded environment; exclude_start NULL: no exclusions */
  const int64_t *exclude;
  struct cuda_report *report;
};

/* 1 if two beads (local indices) may lie on one point: they have no pair forces, as some virtual
   sites and a parent. Exclusions of halo beads are not known here; a pair of two of them is checked
   by the ranks that own them. */
static __device__ int is_allowed(const struct point_job &job, int me, int other)
{
  if (!job.exclude_start) return 0;
  if (me >= job.owned && other >= job.owned) return 1;
  const int of = me < job.owned ? me : other, slot = job.slot[of];
  if (slot < 0) return 0;
  const int64_t way = job.id[of == me ? other : me] - job.id[of];
  for (int k = job.exclude_start[slot]; k < job.exclude_start[slot + 1]; k++)
    if (job.exclude[k] == way) return 1;
  return 0;
}

/* Reports two beads on one point, unless they may be. Returns 0 if another fault was reported
   before. */
static __device__ int point_note(const struct point_job &job, const int4 &me, const int4 &other)
{
  struct cuda_fault *f = &job.report->point;
  const int bead = me.w & SORTED_BEAD, on = other.w & SORTED_BEAD;
  if (is_allowed(job, bead, on)) return 1;
  if (!fault_is_first(f)) return 0;
  f->bead = job.id[bead];
  f->other = job.id[on];
  const int x[3] = {me.x, me.y, me.z};
  for (int d = 0; d < 3; d++)
    f->value[d] = torus_fraction(x[d]);
  return 1;
}

/* Compares each bead with the later ones of its cell. */
static __global__ void points_check(struct point_job job, struct grid g)
{
  int64_t k = thread_index();
  if (k >= job.n) return;
  const int4 me = ((const int4 *)job.sorted)[k];
  const uint64_t cell = cell_at(&g, me.x, me.y, me.z);
  for (int m = (int)k + 1; m < job.n; m++) {
    const int4 other = ((const int4 *)job.sorted)[m];
    if (cell_at(&g, other.x, other.y, other.z) != cell) return;
    const int one = me.x == other.x && me.y == other.y && me.z == other.z;
    if (one && !point_note(job, me, other)) return;
  }
}

void cuda_points_check(struct gpu *c, cudaStream_t stream)
{
  const struct point_job job = {c->base.n + c->base.n_halo,  c->base.n,
                                c->sorting->sorted,          c->arrays->id,
                                c->arrays->beads.bonded_env, c->topology->exclude_start,
                                c->topology->exclude,        c->reports->device};
  LAUNCH_ON(stream, points_check, job.n, THREADS, job, c->sorting->grid);
}
