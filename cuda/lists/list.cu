/* Neighbour lists. A warp builds the lists of a group: a few consecutive beads of one column of
   cells. In each column within the list radius it reads only the cells within reach of the group.
   Beads close to the bounding box of the group become candidates, and each candidate is tested
   against every bead of the group. The order (relative column, then cell from the bottom of the z
   window, then id) and the tests depend on build positions alone, so a bead has the same list on
   any number of ranks and in any group. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "cuda/lists/list_group.cuh"
#include "cuda/runtime/chain.cuh"
#include "cuda/runtime/lanes.h"
#include "cuda/runtime/memory.h"
#include "input/param.h"

/* The lists of a group while they are built; equal in all lanes of the warp. Part 0 of bead b is
   filled from place b room on, part 1 from place (b + 1) room - 1 on, backwards. */
struct lists {
  int next[LIST_PARTS][GROUP]; /* the next place of each part */
  int room;                    /* entries that the list of a bead has room for */
  int last;                    /* the last place of the lists of the group */
  int *first;                  /* list of the first bead of the group, device memory */
};

/* Entries of a row. */
template <int LANES> DEVICE constexpr int row_of(void)
{
  static_assert(LANES == 2 || LANES == 4 || LANES == 8, "entry_at knows these rows");
  return 4 * LANES;
}

/* (mask & a) | (~mask & b) in one instruction. */
DEVICE unsigned bits_of(unsigned mask, unsigned a, unsigned b)
{
  unsigned out;
  asm("lop3.b32 %0, %1, %2, %3, 0xe4;" : "=r"(out) : "r"(a), "r"(b), "r"(mask));
  return out;
}

/* Index in the lists of a group of place k: places that follow each other in a row belong to
   different lanes (struct cuda_list). Lists begin at multiples of a row. */
template <int LANES, int PART> DEVICE int entry_at(int k)
{
  constexpr int row = row_of<LANES>(), top = LANES == 2 ? 29 : LANES == 4 ? 28 : 27;
  const unsigned n = (unsigned)k, slot = n << top >> 30, in = 4 * n + slot;
  /* The places of part 1 count backwards, but entries stand forwards in its rows. */
  return (int)bits_of(row - 1, PART ? ~in : in, n);
}

/* A predicated store to global memory: no branch. */
DEVICE void store_if(int condition, int *to, int value)
{
  asm volatile(
      "{ .reg .pred p; setp.ne.s32 p, %0, 0; @p st.global.s32 [%1], %2; }" ::"r"(condition),
      "l"(to), "r"(value)
      : "memory");
}

/* Tests 32 candidates, one per lane, against beads SOME to SOME + 3 of a group, and appends those
   within the radius to the lists of these beads. A bead is in its own list too, where it
   contributes nothing. If a list is full, entries of the group are overwritten: the build is
   repeated with more room. */
template <int LANES, int FILTERED, int OBLIQUE, int PART, int SOME>
DEVICE void candidates_test(const struct list_job &job, const struct group &g,
                            const struct warp_memory *w, const float4 q, struct lists *l)
{
  const unsigned below = (1u << g.lane) - 1u;
  const int entry = __float_as_int(q.w) & SORTED_BEAD;
  const unsigned takes = FILTERED ? w->takes[list_class_of(__float_as_int(q.w))] : 0;
  int hit[GROUP / 2];
#pragma unroll
  for (int b = SOME; b < SOME + GROUP / 2; b++) {
    hit[b - SOME] = 0;
    if (FILTERED && !(g.listed >> b & 1u)) continue;
    const float4 me = w->bead[b];
    const float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
    hit[b - SOME] = coarse2<OBLIQUE>(job, dx, dy, dz) < me.w;
    if (FILTERED) hit[b - SOME] = hit[b - SOME] && (takes >> b & 1u);
  }
  /* A loop of its own: tests of several beads overlap, and so do their stores. */
#pragma unroll
  for (int b = SOME; b < SOME + GROUP / 2; b++) {
    if (FILTERED && !(g.listed >> b & 1u)) continue;
    const unsigned hits = __ballot_sync(ALL_LANES, hit[b - SOME]);
    const int before = __popc(hits & below), next = l->next[PART][b];
    const int at = PART ? max(next - before, 0) : min(next + before, l->last);
    store_if(hit[b - SOME], l->first + (unsigned)entry_at<LANES, PART>(at), entry);
    l->next[PART][b] += PART ? -__popc(hits) : __popc(hits);
  }
}

template <int LANES, int FILTERED, int OBLIQUE, int PART>
DEVICE void ring_test(const struct list_job &job, const struct group &g,
                      const struct warp_memory *w, struct waiting *wait, struct lists *l)
{
  const unsigned k = wait->first + (unsigned)g.lane;
  float4 q = w->ring[PART * RING + k % RING];
  if ((int)(wait->end - k) <= 0) q.x = NAN; /* no candidate: NaN is within no radius */
  candidates_test<LANES, FILTERED, OBLIQUE, PART, 0>(job, g, w, q, l);
  if (g.n > GROUP / 2) candidates_test<LANES, FILTERED, OBLIQUE, PART, GROUP / 2>(job, g, w, q, l);
  wait->first += 32;
}

/* The pieces of a group that are in shared memory. */
struct pieces {
  int column;    /* they are of columns column, column + 1, ..., column + 31 */
  int all, from; /* number of pieces of these columns; of the first in shared memory */
  int k, n;      /* the next to read, and their number */
};

/* Goes on to the next pieces of these columns, or to those of the next 32. 0: there are none. */
template <int OBLIQUE>
DEVICE int pieces_next(const struct list_job &job, const struct group &g, struct warp_memory *w,
                       struct pieces *p)
{
  p->k = 0;
  p->from += PIECES;
  if (p->from >= p->all) {
    p->from = 0;
    p->column += 32;
  }
  if (p->column >= job.reach[0].n * job.reach[1].n) return 0;
  p->all = pieces_fill<OBLIQUE>(job, g, w, p->column, p->from);
  p->n = min(p->all - p->from, PIECES);
  return 1;
}

/* Finds the candidates of a group and tests them, 32 at a time. */
template <int LANES, int FILTERED, int OBLIQUE>
DEVICE void candidates_list(const struct list_job &job, const struct group &g,
                            struct warp_memory *w, struct lists *l)
{
  struct waiting wait[2] = {{0, 0}, {0, 0}};
  struct pieces p = {-32, 0, 0, 0, 0};
  for (int more = 1; more;) {
    if (p.k >= p.n) more = pieces_next<OBLIQUE>(job, g, w, &p);
    if (more) pieces_keep<FILTERED, OBLIQUE>(job, g, w, p.k, wait);
    p.k += STEP;
    __syncwarp();
    const int least = more ? 32 : 1; /* at the end all are tested */
    while ((int)(wait[0].end - wait[0].first) >= least)
      ring_test<LANES, FILTERED, OBLIQUE, 0>(job, g, w, &wait[0], l);
    while ((int)(wait[1].end - wait[1].first) >= least)
      ring_test<LANES, FILTERED, OBLIQUE, 1>(job, g, w, &wait[1], l);
    __syncwarp();
  }
}

/* An excluded partner of a bead of a group; each lane has one. */
struct excluded {
  int bead, partner; /* index in the group; local index, -1: none */
};

/* The excluded partners from number `from` on, of the whole group. Of the bead of this lane, begin:
   where its exclusions begin in job.exclude; n: their number; end: sum of n up to this lane.
   Warp-collective. */
DEVICE struct excluded excluded_of(const struct list_job &job, const struct group &g, int from,
                                   int begin, int n, int end)
{
  const int item = from + g.lane, all = __shfl_sync(ALL_LANES, end, 31);
  struct excluded out = {0, -1};
  for (int b = 0; b < GROUP - 1; b++)
    out.bead += __shfl_sync(ALL_LANES, end, b) <= item;
  const int at = __shfl_sync(ALL_LANES, begin + n - end, out.bead) + item;
  if (item < all) out.partner = id_index(job.ids, job.id[g.first + out.bead] + job.exclude[at]);
  return out;
}

/* Overwrites with `me` the entries of held that are excluded partners of bead `me`. mask: the lanes
   whose `partner` is one. Returns 1 if there were such entries. */
DEVICE int entries_blank(unsigned mask, int partner, int me, int4 *held)
{
  int excluded = 0;
  for (unsigned left = mask; left; left &= left - 1) {
    const int other = __shfl_sync(ALL_LANES, partner, __ffs((int)left) - 1);
    excluded |= held->x == other || held->y == other || held->z == other || held->w == other;
    held->x = held->x == other ? me : held->x;
    held->y = held->y == other ? me : held->y;
    held->z = held->z == other ? me : held->z;
    held->w = held->w == other ? me : held->w;
  }
  return excluded;
}

/* Overwrites the excluded partners in the lists of beads b to b + 3 of a group with the beads: a
   pair of a bead with itself adds no force. Lists are loaded together, because each load takes
   long. entries: of the bead of this lane, by part, in whole rows. */
DEVICE void partners_blank(const struct excluded &x, const struct group &g, int b, int *lists,
                           int room, const int entries[2])
{
  enum { BEADS = GROUP / 2, ENTRIES = 4 * 32 }; /* a lane has four entries */
  unsigned mask[BEADS], any = 0;
#pragma unroll
  for (int k = 0; k < BEADS; k++)
    any |= mask[k] = __ballot_sync(ALL_LANES, x.partner >= 0 && x.bead == b + k);
  const int most = __reduce_max_sync(ALL_LANES, entries[0] + entries[1]);
  for (int from = 0; any && from < most; from += ENTRIES) {
    const int in = from + 4 * g.lane;
    int4 held[BEADS], *at[BEADS];
#pragma unroll
    for (int k = 0; k < BEADS; k++) {
      const int plain = __shfl_sync(ALL_LANES, entries[0], b + k);
      const int all = plain + __shfl_sync(ALL_LANES, entries[1], b + k);
      at[k] = (int4 *)(lists + (b + k) * room + (in < plain ? in : in + room - all));
      held[k] = make_int4(-1, -1, -1, -1);
      if (mask[k] && in < all) held[k] = *at[k];
    }
#pragma unroll
    for (int k = 0; k < BEADS; k++)
      if (entries_blank(mask[k], x.partner, g.first + b + k, &held[k])) *at[k] = held[k];
  }
}

/* Removes excluded partners from the lists of a group. entries: of the bead of this lane, by part,
   in whole rows. */
DEVICE void excluded_blank(const struct list_job &job, const struct group &g, int *lists, int room,
                           const int entries[2])
{
  const int slot = g.lane < g.n ? job.slot[g.first + g.lane] : -1;
  const int begin = slot < 0 ? 0 : job.exclude_start[slot];
  const int n = slot < 0 ? 0 : job.exclude_start[slot + 1] - begin;
  int end = n;
  for (int d = 1; d < GROUP; d *= 2) {
    const int below = __shfl_up_sync(ALL_LANES, end, d);
    if (g.lane >= d) end += below;
  }
  end = __shfl_sync(ALL_LANES, end, min(g.lane, GROUP - 1));
  for (int from = 0; from < __shfl_sync(ALL_LANES, end, 31); from += 32) {
    const struct excluded x = excluded_of(job, g, from, begin, n, end);
    for (int b = 0; b < g.n; b += GROUP / 2)
      partners_blank(x, g, b, lists, room, entries);
  }
}

template <int LANES> DEVICE int halves_for(int entries)
{
  constexpr int half = row_of<LANES>() / 2;
  return (entries + half - 1) / half;
}

/* Fills up the last row of each part with the bead itself, and stores the lengths. If a
   list of the group is too long, only reports that. longest: rows of the longest list reported. */
template <int LANES>
DEVICE void lists_end(const struct list_job &job, const struct group &g, const struct lists &l,
                      int longest)
{
  constexpr int row = row_of<LANES>();
  int count[2] = {0, 0}; /* of the bead of this lane */
#pragma unroll
  for (int b = 0; b < GROUP; b++) {
    count[0] = g.lane == b ? l.next[0][b] - b * l.room : count[0];
    count[1] = g.lane == b ? (b + 1) * l.room - 1 - l.next[1][b] : count[1];
  }
  struct list_head head = {{halves_for<LANES>(count[0]), halves_for<LANES>(count[1])}};
  const int plain = list_rows(head.halves[0]), apart = list_rows(head.halves[1]);
  int rows = g.lane < g.n ? plain + apart : 0;
  int most = __reduce_max_sync(ALL_LANES, rows), all = __reduce_add_sync(ALL_LANES, rows);
  if (g.lane == 0) {
    add_int64(&job.report->listed, (int64_t)all * row);
    if (most > longest) atomicMax(job.longest, most);
  }
  if (most > job.most_rows) return;
  if (g.lane < g.n) job.head[g.first + g.lane] = head;
  /* `row` lanes for a bead, and each for one place of its last row. */
  for (int b = g.lane / row; b - g.lane / row < g.n; b += 32 / row) {
    const int n = __shfl_sync(ALL_LANES, count[0], b), m = __shfl_sync(ALL_LANES, count[1], b);
    const int me = g.first + b, in = g.lane % row, low = b * l.room + n / row * row + in,
              high = (b + 1) * l.room - 1 - m / row * row - in;
    const int fills = b < g.n && n % row && in >= n % row;
    const int fills_apart = b < g.n && m % row && in >= m % row;
    store_if(fills, l.first + entry_at<LANES, 0>(low), me);
    store_if(fills_apart, l.first + entry_at<LANES, 1>(high), me);
  }
  if (!job.exclude_start) return;
  __syncwarp();
  const int entries[2] = {plain * row, apart * row};
  excluded_blank(job, g, l.first, l.room, entries);
}

template <int LANES, int FILTERED, int OBLIQUE>
DEVICE void lists_of(const struct list_job &job, const struct group &g, struct warp_memory *w)
{
  struct lists l;
  l.room = job.most_rows * row_of<LANES>();
  l.first = job.index + (int64_t)g.first * l.room;
  asm("" : "+l"(l.first)); /* keeps one address, not a sum of two for each entry */
  l.last = g.n * l.room - 1;
  const int longest = *(volatile int *)job.longest; /* early, because it takes long */
#pragma unroll
  for (int b = 0; b < GROUP; b++) {
    l.next[0][b] = b * l.room;
    l.next[1][b] = (b + 1) * l.room - 1;
  }
  candidates_list<LANES, FILTERED, OBLIQUE>(job, g, w, &l);
  lists_end<LANES>(job, g, l, longest);
}

template <int LANES, int FILTERED, int OBLIQUE>
static __global__ __launch_bounds__(32 * WARPS,
                                    7) void lists_fill(const __grid_constant__ struct list_job job)
{
  __shared__ struct warp_memory memory[WARPS];
  chain_both();
  unsigned at = (unsigned)__cvta_generic_to_shared(&memory[threadIdx.x / 32]);
  asm("" : "+r"(at)); /* keeps the address, which otherwise takes five instructions at each use */
  struct warp_memory *w = (struct warp_memory *)__cvta_shared_to_generic(at);
  const int lane = (int)(threadIdx.x % 32);
  int64_t first = thread_index() / 32 * job.group;
  int end = (int)(first + job.group < job.n ? first + job.group : job.n);
  for (int i = (int)first; i < end;) {
    const struct group g = group_of<FILTERED, OBLIQUE>(job, i, end, lane, w);
    if (!FILTERED || g.listed)
      lists_of<LANES, FILTERED, OBLIQUE>(job, g, w);
    else if (lane < g.n)
      job.head[i + lane] = {{0, 0}};
    i += g.n;
  }
}

static struct reach reach_of(const struct grid *g, int axis, double reach)
{
  struct reach r;
  int n = g->n[axis], far = (int)(reach / (box_height(g->box, axis) / n)) + 1;
  r.low = 2 * far + 1 > n ? -(n / 2) : -far;
  r.n = 2 * far + 1 > n ? n : 2 * far + 1;
  return r;
}

void cuda_lists_open(struct gpu *c)
{
  const struct pair_plan *plan = c->config.plan;
  struct gpu_lists *lists = NEW_STATE(gpu_lists, c, lists);
  for (int k = 0; k < plan->n_passes; k++) {
    const struct pair_pass *pass = &plan->pass[k];
    struct cuda_list *l = &lists->of[k];
    l->lanes = lanes_of_list(pass->set, pass->cutoff, pass->sigma, c->config.n_total,
                             c->config.precision == PRECISION_DOUBLE);
    cuda_per_bead(c, &l->head, sizeof *l->head, 0, 0, "rows in the lists");
  }
  cuda_depends(c, GRAPH_STEPS | GRAPH_BUILDS, lists, sizeof *lists);
}

int cuda_lists_read(struct gpu *c)
{
  int again = 0;
  for (int k = 0; k < c->config.plan->n_passes; k++) {
    struct cuda_list *l = &OWN(gpu_lists, c->lists)->of[k];
    const int rows = c->reports->host->most_rows[k];
    if (rows > UINT16_MAX / 2) /* struct cuda_place */
      die(STATUS_INPUT,
          "the neighbour list of a bead has %d rows of %d partners, and GPUs take fewer than %d "
          "rows: choose a smaller cutoff or skin, or the backend cpu",
          rows, 4 * l->lanes, UINT16_MAX / 2 + 1);
    if (rows <= l->most_rows) continue;
    l->most_rows = rows + 1;
    again = 1;
  }
  return again;
}

double cuda_list_radius(const struct gpu *c, int list)
{
  return c->sorting->grid.radius - cuda_list_margin(c, list);
}

/* Which list classes are partners in a list, and the types that say the class of a bead. */
static void job_classes(struct list_job *j, const struct gpu *c, int list)
{
  const struct pair_plan *plan = c->config.plan;
  for (int k = 0; k < PAIR_CLASSES_MOST; k++)
    j->partners[k] = plan->pass[list].partners[k];
  j->type = c->arrays->beads.type;
  j->types = c->types->type;
}

struct list_job cuda_list_job(struct gpu *c, int list, double reach)
{
  struct list_job j;
  memset(&j, 0, sizeof j); /* with its padding: jobs are compared byte by byte */
  const struct cuda_list *to = &c->lists->of[list];
  const double *l = c->sorting->grid.box, whole = TORUS_EDGE;
  const struct list_metric metric = list_metric_of(l);
  reach = list_reach(l, reach);
  j.n = c->base.n;
  j.group = c->base.n < FULL_GROUPS_LEAST ? GROUP / 2 : GROUP;
  j.head = to->head;
  j.index = to->index;
  j.most_rows = to->most_rows;
  j.sorted = c->sorting->sorted;
  j.position = c->arrays->beads.build_position;
  j.start = c->sorting->start;
  j.held = cuda_held(c);
  for (int k = 0; k < 3; k++) {
    j.cells[k] = c->sorting->grid.n[k];
    j.width[k] = (float)(l[k] / c->sorting->grid.n[k]);
    j.h[k] = (float)(l[k] / whole);
    j.under[k] = j.h[k] * 0.99999f;
    j.cell[k] = (float)(c->sorting->grid.n[k] / whole);
    j.apart[k] = (unsigned)(0.5 * fmax(0.5 - 1.00001 * reach / box_height(l, k), 0) * whole);
  }
  j.oblique = box_is_oblique(l);
  memcpy(j.shear, metric.shear, sizeof j.shear);
  memcpy(j.ratio, metric.ratio, sizeof j.ratio);
  j.metric = grid_metric_of(&c->sorting->grid);
  j.r2 = list_radius2(l, cuda_list_radius(c, list));
  j.reach2 = (float)(reach * reach);
  for (int k = 0; k < 2; k++)
    j.reach[k] = reach_of(&c->sorting->grid, k, reach);
  j.divide = (1u << 16) / (unsigned)j.reach[1].n + 1;
  j.per = (float)(c->sorting->grid.n[2] / l[2]);
  j.span = list_span(&c->sorting->grid, reach);
  j.most_high = j.span < 0 && c->config.precision == PRECISION_DOUBLE ? 0 : j.cells[2];
  j.id = c->arrays->id;
  j.slot = c->arrays->beads.bonded_env;
  j.exclude_start = c->topology->exclude_start;
  j.exclude = c->topology->exclude;
  j.ids = c->bonded->ids;
  j.report = c->reports->device;
  j.longest = &c->reports->device->most_rows[list];
  job_classes(&j, c, list);
  return j;
}

/* Rows of a list before the first build: a quarter more than the mean density needs; half of that
   for lists of some classes only. */
static int rows_guess(const struct gpu *c, int list)
{
  const double *l = c->sorting->grid.box, r = cuda_list_radius(c, list);
  double n = pair_partners_within(r, (double)c->config.n_total / (l[0] * l[1] * l[2]));
  double more = c->config.plan->pass[list].all ? 1.25 : 0.625;
  return (int)(fmin(n * more, 1e6) / (4 * c->lists->of[list].lanes)) + 3;
}

static void list_reserve(struct gpu *c, int list)
{
  struct cuda_list *l = &OWN(gpu_lists, c->lists)->of[list];
  if (l->most_rows == 0) l->most_rows = rows_guess(c, list);
  int64_t bytes = (int64_t)c->base.n * l->most_rows * 4 * l->lanes * (int64_t)sizeof *l->index;
  if (bytes > cuda_room(c, l->index))
    cuda_grow(c, &l->index, l->index ? bytes + bytes / 8 : bytes, 0, "neighbour lists");
}

typedef void list_function(struct list_job job);

template <int FILTERED, int OBLIQUE> static list_function *list_kernel(int lanes)
{
  return lanes == 2   ? lists_fill<2, FILTERED, OBLIQUE>
         : lanes == 4 ? lists_fill<4, FILTERED, OBLIQUE>
                      : lists_fill<8, FILTERED, OBLIQUE>;
}

template <int FILTERED> static void list_fill(struct gpu *c, int list)
{
  const struct list_job job = cuda_list_job(c, list, cuda_list_radius(c, list));
  const int64_t threads = (int64_t)launch_blocks(job.n, job.group) * 32;
  if (graph_renewed(c, &job, sizeof job)) return;
  const int lanes = c->lists->of[list].lanes;
  const auto kernel =
      job.oblique ? list_kernel<FILTERED, 1>(lanes) : list_kernel<FILTERED, 0>(lanes);
  launch_chained(chain_in_main(c, threads, 32 * WARPS, c->config.ranks == 1), kernel, job);
  graph_note(c, c->streams->main, 0, &job, sizeof job);
}

void cuda_lists_build(struct gpu *c)
{
  for (int l = 0; l < c->config.plan->n_passes; l++) {
    list_reserve(c, l);
    if (c->config.plan->pass[l].all)
      list_fill<0>(c, l);
    else
      list_fill<1>(c, l);
  }
}
