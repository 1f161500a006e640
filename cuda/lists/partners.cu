/* Bonded partners as local indices, and the order in which beads are taken by threads. */
#include <string.h>

#include "cuda/lists/build_graph.h"
#include "cuda/lists/lists.h"
#include "cuda/runtime/device.cuh"

struct partners {
  int n;
  struct cuda_ids ids;
  const int64_t *id;
  const int32_t *slot;
  const int *term_start;
  const struct topology_term *term;
  int *row, *boundary;
  struct bonded_entry *entry;
  int64_t room;            /* entries */
  const int32_t *position; /* of the build */
  double h[3], longest;    /* box of the build / 2^32; build_params.term_length */
  const double *rest;      /* lengths at rest of all bonded types; 0: none */
  int checks;              /* enum build_checks */
  struct cuda_report *report;
};

static __global__ void ids_set(struct cuda_ids ids, int n, const int64_t *id)
{
  const int64_t i = thread_index();
  if (i >= n) return;
  if (ids.index)
    ids.index[id[i]] = (int)i;
  else
    id_insert(ids, id[i], (int)i);
}

static __global__ void terms_count(struct partners p)
{
  int64_t i = thread_index();
  if (i > p.n) return;
  int slot = i < p.n ? p.slot[i] : -1;
  p.row[i] = slot < 0 ? 0 : p.term_start[slot + 1] - p.term_start[slot];
}

static __device__ int partner_of(const struct partners &p, int64_t i, int64_t offset)
{
  int64_t id = p.id[i] + offset;
  const int j = id_index(p.ids, id);
  if (j >= p.n) p.boundary[i] = 1;
  if (j >= 0) return j;
  if (p.checks != CHECK_NOTHING && fault_take(&p.report->broken)) {
    p.report->broken.bead = p.id[i];
    p.report->broken.other = id;
  }
  return (int)i;
}

/* A fault that was found is not overwritten. */
static __device__ void partner_check(const struct partners &p, int64_t i, int64_t j, double longest)
{
  if (j == i) return;
  const int32_t *x = p.position + 3 * i, *y = p.position + 3 * j;
  const int32_t a[3] = {x[0], x[1], x[2]}, b[3] = {y[0], y[1], y[2]};
  const double d2 = torus_distance2(a, b, p.h);
  struct cuda_fault *f = &p.report->broken;
  if (d2 <= longest * longest || !fault_take(f)) return;
  f->bead = p.id[i];
  f->other = p.id[j];
  f->value[0] = sqrt(d2);
  f->value[1] = longest;
}

/* rest: the length of the term at rest, nm, or 0. */
static __device__ void entry_check(const struct partners &p, int64_t i,
                                   const struct bonded_entry *e, double rest)
{
  const double longest = offender_term_length(rest, p.longest);
  if (p.checks != CHECK_BONDS) return;
  for (int k = 0; k < BONDED_BEADS_MOST - 1; k++)
    partner_check(p, i, e->partner[k], longest);
}

static __global__ void terms_fill(struct partners p)
{
  int64_t i = thread_index();
  if (i >= p.n) return;
  if (i == 0) p.report->bonded = p.row[p.n];
  int slot = p.slot[i];
  if (slot < 0) return;
  const struct topology_term *term = p.term + p.term_start[slot];
  for (int k = p.row[i]; k < p.row[i + 1]; k++, term++) {
    struct bonded_entry e;
    e.type_and_role = bonded_type_and_role(term->type, term->role);
    for (int b = 0; b < BONDED_BEADS_MOST - 1; b++)
      e.partner[b] = b < term->beads - 1 ? partner_of(p, i, term->partner[b]) : (int)i;
    entry_check(p, i, &e, p.rest[term->type]);
    if (k < p.room) p.entry[k] = e;
  }
}

/* At most half of the slots are taken. */
static void slots_clear(struct gpu *c, int64_t n)
{
  struct cuda_ids *ids = &c->bonded.ids;
  int64_t slots = 1024;
  while (slots < 2 * n)
    slots *= 2;
  cuda_grow(c, (void **)&ids->slot, &ids->room, slots * (int64_t)sizeof *ids->slot, 0,
            "the table of ids");
  ids->mask = (uint64_t)slots - 1;
  CUDA(cudaMemsetAsync(ids->slot, 0xff, (size_t)slots * sizeof *ids->slot, c->streams.main));
}

void cuda_ids_set(struct gpu *c)
{
  struct cuda_ids *ids = &c->bonded.ids;
  const int n = c->base.n + c->base.n_halo;
  if (!c->bonded.term_start) return;
  if (c->config.ranks == 1)
    cuda_grow(c, (void **)&ids->index, &ids->room, (ids->n_total + 1) * (int64_t)sizeof *ids->index,
              0, "the table of ids");
  else
    slots_clear(c, n);
  LAUNCH(ids_set, n, THREADS, c, *ids, n, c->arrays.id);
}

void cuda_partners_find(struct gpu *c, const struct build_params *params, cudaStream_t stream)
{
  int n = c->base.n;
  if (!c->bonded.term_start) return;
  struct partners p;
  memset(&p, 0, sizeof p); /* with its padding: arguments are compared byte by byte */
  p.n = n;
  p.id = c->arrays.id;
  p.slot = c->arrays.beads.bonded_env;
  p.ids = c->bonded.ids;
  p.term_start = c->bonded.term_start;
  p.term = c->bonded.term;
  p.row = c->bonded.row;
  p.boundary = c->sorting.flag;
  p.entry = c->bonded.entry;
  p.room = c->bonded.room / (int64_t)sizeof *c->bonded.entry;
  p.report = c->reports.device;
  p.position = c->arrays.beads.build_position;
  torus_units(c->sorting.build_box, p.h);
  p.longest = params->term_length;
  p.rest = c->bonded.rest;
  p.checks = c->base.checks;
  if (cuda_build_renewed(c, NODE_TERMS, &p, sizeof p)) return;
  LAUNCH_ON(stream, terms_count, n + 1, THREADS, p);
  cuda_sum_before(c, c->bonded.row, n + 1, stream);
  LAUNCH_ON(stream, terms_fill, n, THREADS, p);
  cuda_build_note(c, NODE_TERMS, stream, &p, sizeof p);
}

/* Numbers of groups (struct cuda_list) in a work order. classes: list classes; listed: bits of
   those that take part in the list; half: groups of the interior beads. */
struct grouping {
  int classes, half;
  unsigned listed;
};

static struct grouping grouping_of(const struct gpu *c, int list)
{
  const struct pair_plan *plan = c->config.plan;
  struct grouping g = {plan->n_classes, c->list[list].half, 0};
  for (int k = 0; k < plan->n_classes; k++)
    g.listed |= (unsigned)pair_class_listed(plan, list, k) << k;
  return g;
}

/* Places (struct cuda_list): sorted by group, that is by boundary and classes. */
static __global__ void groups_set(int n, struct grouping of, const int *flag, const int32_t *type,
                                  const struct cuda_type *types, unsigned char *group, int *value)
{
  int i = (int)thread_index();
  if (i >= n) return;
  const struct cuda_type *t = &types[type[i]];
  const int here = t->interaction * of.classes + t->list_class;
  const int listed = (int)(of.listed >> t->list_class & 1u);
  group[i] = (unsigned char)(flag[i] * of.half + (listed ? here : of.half - 1));
  value[i] = i;
}

static __global__ void groups_find(int n, const unsigned char *sorted, int *group_end)
{
  int g = (int)threadIdx.x, low = 0, high = n;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (sorted[middle] <= g)
      low = middle + 1;
    else
      high = middle;
  }
  group_end[g] = low;
}

HD int aligned(int place)
{
  return (place + PLACES_ALIGN - 1) / PLACES_ALIGN * PLACES_ALIGN;
}

/* unlisted: the group of the interior beads without a list; above all groups if there is none. */
static __global__ void places_fill(int n, int half, int unlisted, const unsigned char *sorted,
                                   const int *bead, const int *group_end, struct cuda_place *place)
{
  int k = (int)thread_index(), begin = 0, first = 0;
  if (k >= n) return;
  const int mine = sorted[k];
  if (mine == unlisted || mine - half == unlisted) return;
  for (int g = 0; g < mine; g++) {
    if (g != unlisted) first = aligned(first + group_end[g] - begin);
    begin = group_end[g];
  }
  place[first + k - begin].bead = bead[k];
}

static int group_unlisted(const struct cuda_list *l)
{
  return l->all ? 2 * l->half : l->half - 1;
}

/* Bits of the numbers of n groups. */
static int group_bits(int n)
{
  int bits = 1;
  while ((n - 1) >> bits)
    bits++;
  return bits;
}

static void work_order_set(struct gpu *c, int list, cudaStream_t stream)
{
  struct cuda_list *l = &c->list[list];
  const int n = c->base.n, groups = 2 * l->half, bits = group_bits(groups);
  int *group_end = c->reports.device->group_end[list];
  l->n_places = n > 0 ? n + groups * PLACES_ALIGN : 0;
  if (n == 0) return;
  LAUNCH_ON(stream, groups_set, n, THREADS, n, grouping_of(c, list), c->sorting.flag,
            c->arrays.beads.type, c->coefficients.type, c->sorting.group, c->sorting.value);
  cuda_sort_groups(c, n, bits, stream);
  LAUNCH_ON(stream, groups_find, groups, groups, n, c->sorting.group_sorted, group_end);
  CUDA(cudaMemsetAsync(l->place, -1, (size_t)l->n_places * sizeof *l->place, stream));
  LAUNCH_ON(stream, places_fill, n, THREADS, n, l->half, group_unlisted(l), c->sorting.group_sorted,
            c->sorting.order, group_end, l->place);
}

void cuda_work_orders_set(struct gpu *c, cudaStream_t stream)
{
  for (int l = 0; l < c->config.plan->n_passes; l++)
    work_order_set(c, l, stream);
}

/* What the work order of a list is balanced by. */
struct balance {
  int n_places, lanes, most_rows;
  int halves; /* 1: kernels leave out halves of rows */
  const struct list_head *head;
  const int *index;
  struct cuda_place *place;
};

/* Rows of a part of a bead's list; half rows where kernels leave them out. A half is empty if it
   begins with the bead itself, which fills it up. */
static __device__ __forceinline__ unsigned rows_of(const struct balance &b, int bead, int part)
{
  const int rows = b.head[bead].rows[part], last = part ? b.most_rows - rows : rows - 1;
  if (!b.halves || rows == 0) return (unsigned)min(rows, 4095);
  const int *half = b.index + ((int64_t)bead * b.most_rows + last) * (4 * b.lanes) + 2;
  return (unsigned)min(2 * rows - (*half == bead), 4095);
}

/* A warp takes as long as the longest of its lists. So beads are put in the order of their rows,
   within windows of one class that are small enough to keep them near their neighbours. Their rows
   go with them. */
static __global__ __launch_bounds__(PLACES_ALIGN) void windows_sort(const struct balance b)
{
  __shared__ unsigned key[PLACES_ALIGN];
  int p = (int)thread_index(), me = (int)threadIdx.x, before = 0;
  int bead = p < b.n_places ? b.place[p].bead : -1;
  unsigned mine = 0xffffff00u;
  if (bead >= 0) mine = rows_of(b, bead, 0) << 20 | rows_of(b, bead, 1) << 8;
  mine += (unsigned)me; /* no two alike */
  key[me] = mine;
  __syncthreads();
#pragma unroll 16
  for (int k = 0; k < PLACES_ALIGN; k++)
    before += key[k] < mine;
  if (bead < 0) return;
  const struct list_head head = b.head[bead];
  const struct cuda_place place = {bead, {(uint16_t)head.rows[0], (uint16_t)head.rows[1]}};
  b.place[p - me + before] = place;
}

void cuda_work_orders_balance(struct gpu *c)
{
  for (int l = 0; l < c->config.plan->n_passes; l++) {
    const struct cuda_list *list = &c->list[l];
    struct balance b;
    b.n_places = list->n_places;
    b.lanes = list->lanes;
    b.most_rows = list->most_rows;
    b.halves = cuda_passes_chain(c);
    b.head = list->head;
    b.index = list->index;
    b.place = list->place;
    LAUNCH(windows_sort, b.n_places, PLACES_ALIGN, c, b);
  }
}

void cuda_work_orders_read(struct gpu *c)
{
  const struct cuda_report *r = c->reports.host;
  for (int l = 0; l < c->config.plan->n_passes; l++) {
    struct cuda_list *list = &c->list[l];
    const int half = list->half, unlisted = group_unlisted(list);
    int *first = list->group_first, end = 0;
    first[0] = 0;
    for (int g = 0; g < 2 * half; g++) {
      const int has = g != unlisted && g - half != unlisted;
      first[g + 1] = has ? aligned(first[g] + r->group_end[l][g] - end) : first[g];
      end = r->group_end[l][g];
    }
  }
  c->base.interior = r->group_end[0][c->list[0].half - 1];
  c->base.boundary = c->base.n - c->base.interior;
}
