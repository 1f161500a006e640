/* Neighbour lists, a warp for a few consecutive beads of one column of cells. Of each column within
   the list radius it takes only the cells that one of them can reach, keeps of their beads those
   close to the box around its own, and tests each of these candidates against all of them. The
   order (relative column, then cell from the bottom of the z window, then id) and the tests depend
   on build positions alone, so a bead has the same list on any number of ranks and in any group. */
#include "device_cuda.cuh"

#include <math.h>

enum {
  WARPS = 4,
  GROUP = 8,     /* beads of a warp, at most */
  PIECE = 8,     /* beads of a run that are looked at together */
  PIECES = 256,  /* noted at a time, a warp */
  RING = 64,     /* candidates that wait for their tests */
  SMALL = 100000 /* owned beads below which more warps pay more than fuller ones */
};
#define ALL_LANES 0xffffffffu

/* Columns along x or y that a bead may reach: n of them from the relative column low. */
struct reach {
  int low, n;
};

struct list_job {
  int n, group, most_rows;
  struct list_head *head;
  int *index;
  const struct bead_record *sorted;
  const int32_t *position;
  const int *start;
  int cells[3];
  struct reach reach[2];
  float width[3], h[3], r2max; /* of a cell; box / 2^32; nm */
  int span_most;               /* cells of z between the beads of a group */
  /* Exclusions: */
  const int64_t *id;
  const int32_t *slot;
  const int *exclude_start, *local;
  const int64_t *exclude;
  int64_t n_total;
  struct cuda_report *report;
};

/* What a warp works with in shared memory. */
struct warp_memory {
  int4 bead[GROUP];       /* build position; the squared radius as bits, -1 for no bead */
  int4 ring[2][RING];     /* candidates, as they stand in sorted: without charge, with one */
  unsigned piece[PIECES]; /* place of the first bead, number of beads less 1 */
};
enum { PIECE_SHIFT = 29, PIECE_PLACE = (1 << PIECE_SHIFT) - 1 };

/* The beads that a warp works for, [first, first + n); the same in all lanes. */
struct group {
  int first, n, lane;
  int column[2], floor;  /* their cells; floor: of the first along z */
  float low[3], high[3]; /* from where to where they lie, in cells from there */
  int centre[3];         /* of the box around them */
  float half[3];         /* of its edges, nm */
};

/* Two runs of sorted beads. */
struct runs {
  int begin[2], length[2];
};

/* Cell of a coordinate and how far into it, as a fraction. */
static __device__ __forceinline__ int cell_of(int x, int n, float *fraction)
{
  uint64_t at = (uint64_t)(uint32_t)x * (uint64_t)n;
  *fraction = (float)(uint32_t)at * 2.3283064365386963e-10f;
  return (int)(at >> 32);
}

static __device__ __forceinline__ float gap(float low, float high, float cell)
{
  return fmaxf(fmaxf(cell - high, low - (cell + 1.0f)), 0.0f);
}

/* Distance along an axis, in cells, from [low, high] to cell k, or to its image. */
static __device__ __forceinline__ float cell_distance(int k, int n, float low, float high)
{
  float near = (float)k, other = k < 0 ? near + (float)n : near - (float)n;
  return fminf(gap(low, high, near), gap(low, high, other));
}

static __device__ __forceinline__ int wrapped(int k, int n)
{
  return k < 0 ? k + n : k >= n ? k - n : k;
}

/* What lies within reach of a group in the c-th column around it. Distances are taken short by
   more than their rounding: the tests of pairs decide. */
static __device__ __forceinline__ struct runs column_runs(const struct list_job &job,
                                                          const struct group &g, int c)
{
  struct runs r = {{0, 0}, {0, 0}};
  int a = job.reach[0].low + c / job.reach[1].n, b = job.reach[1].low + c % job.reach[1].n;
  int nx = job.cells[0], ny = job.cells[1], nz = job.cells[2];
  float dx = cell_distance(a, nx, g.low[0], g.high[0]) * job.width[0],
        dy = cell_distance(b, ny, g.low[1], g.high[1]) * job.width[1];
  float left = job.r2max - (dx * dx + dy * dy) * 0.99999f;
  if (!(left > 0.0f)) return r;
  const int *start =
      job.start + ((int64_t)wrapped(g.column[0] + a, nx) * ny + wrapped(g.column[1] + b, ny)) * nz;
  float reach = sqrtf(left) / job.width[2] * 1.00001f + 0.00001f;
  int low = g.floor + (int)floorf(g.low[2] - reach),
      high = g.floor + (int)floorf(g.high[2] + reach);
  if (high - low + 1 >= nz) {
    low = 0;
    high = nz - 1;
  }
  int first = low < 0 ? 0 : low, top = high < nz ? high + 1 : nz;
  if (low < 0) {
    r.begin[0] = start[low + nz];
    r.length[0] = start[nz] - r.begin[0];
  }
  int begin = start[first], length = start[top] - begin;
  if (low < 0) {
    r.begin[1] = begin;
    r.length[1] = length;
    return r;
  }
  r.begin[0] = begin;
  r.length[0] = length;
  if (high >= nz) {
    r.begin[1] = start[0];
    r.length[1] = start[high - nz + 1] - start[0];
  }
  return r;
}

/* Distance from a box along an axis, short by more than its rounding. */
static __device__ __forceinline__ float box_distance(int x, int centre, float h, float half)
{
  float d = fabsf((float)(int)((unsigned)x - (unsigned)centre)) * h;
  return fmaxf(fmaf(d, 0.99999f, -half), 0.0f);
}

/* The candidates that wait in a ring. */
struct waiting {
  int first, n;
};

/* Puts those beads of a few pieces, from the k-th of n on, that are close to a group into the
 * rings.
 */
static __device__ __forceinline__ void pieces_keep(const struct list_job &job,
                                                   const struct group &g, struct warp_memory *w,
                                                   int k, int n, struct waiting wait[2])
{
  const unsigned below = (1u << g.lane) - 1u, in = (unsigned)g.lane % PIECE;
  k += g.lane / PIECE;
  unsigned piece = k < n ? w->piece[k] : 0, place = (piece & PIECE_PLACE) + in;
  int held = k < n && in <= piece >> PIECE_SHIFT;
  int4 q = ((const int4 *)job.sorted)[held ? place : 0];
  float dx = box_distance(q.x, g.centre[0], job.h[0], g.half[0]),
        dy = box_distance(q.y, g.centre[1], job.h[1], g.half[1]),
        dz = box_distance(q.z, g.centre[2], job.h[2], g.half[2]);
  int near = held && fmaf(dz, dz, fmaf(dy, dy, dx * dx)) < job.r2max;
#pragma unroll
  for (int part = 0; part < 2; part++) {
    unsigned kept = __ballot_sync(ALL_LANES, near && (q.w < 0) == part);
    int at = wait[part].first + wait[part].n + __popc(kept & below);
    if (kept >> g.lane & 1u) w->ring[part][at % RING] = q;
    wait[part].n += __popc(kept);
  }
}

/* Notes those of the pieces of two runs, which are numbered from one on, that have a place. */
static __device__ __forceinline__ void pieces_note(struct warp_memory *w, const struct runs &r,
                                                   int number, int from)
{
#pragma unroll
  for (int part = 0; part < 2; part++)
    for (int k = 0; k < r.length[part]; k += PIECE, number++) {
      int left = r.length[part] - k, n = left < PIECE ? left : PIECE;
      unsigned at = (unsigned)(number - from);
      if (at < PIECES)
        w->piece[at] = (unsigned)(r.begin[part] + k) | (unsigned)(n - 1) << PIECE_SHIFT;
    }
}

/* Notes the pieces of 32 columns, from one of either on; the number of all pieces of these columns.
 */
static __device__ __forceinline__ int pieces_fill(const struct list_job &job, const struct group &g,
                                                  struct warp_memory *w, int column, int from)
{
  struct runs r = {{0, 0}, {0, 0}};
  column += g.lane;
  if (column < job.reach[0].n * job.reach[1].n) r = column_runs(job, g, column);
  int pieces = (r.length[0] + PIECE - 1) / PIECE + (r.length[1] + PIECE - 1) / PIECE;
  int end = pieces;
  for (int d = 1; d < 32; d *= 2) {
    int below = __shfl_up_sync(ALL_LANES, end, d);
    if (g.lane >= d) end += below;
  }
  __syncwarp();
  pieces_note(w, r, end - pieces, from);
  __syncwarp();
  return __shfl_sync(ALL_LANES, end, 31);
}

static __device__ __forceinline__ int bead_of(int entry)
{
  return entry & SORTED_BEAD;
}

/* Some bead lies on the point of one of a group: finds it in their cell. */
static __device__ __noinline__ void fault_point(const struct list_job &job, const struct group &g)
{
  struct cuda_fault *f = &job.report->point;
  const int64_t column = ((int64_t)g.column[0] * job.cells[1] + g.column[1]) * job.cells[2];
  const int begin = job.start[column], end = job.start[column + job.cells[2]];
  if (g.lane >= g.n) return;
  const int i = g.first + g.lane, *x = job.position + 3 * (int64_t)i;
  for (int k = begin; k < end; k++) {
    const struct bead_record q = job.sorted[k];
    if (q.x[0] != x[0] || q.x[1] != x[1] || q.x[2] != x[2] || bead_of(q.type) == i) continue;
    if (!fault_take(f)) return;
    f->bead = job.id[bead_of(q.type)];
    f->other = job.id[i];
    for (int m = 0; m < 3; m++)
      f->value[m] = (double)(uint32_t)x[m] / 4294967296.0;
  }
}

/* The lists of a group while they grow; the same in all lanes. */
struct lists {
  int count[2][GROUP]; /* entries without charge, with one */
  int room;            /* entries of a bead */
  int *first;          /* list of the first bead */
  int zeros;           /* candidates on the point of a bead that this lane has seen */
};

/* Entries of a row. */
template <int LANES> static __device__ __forceinline__ constexpr int row_of(void)
{
  return 4 * LANES;
}

/* Where the k-th entry of a part stands in its list: lanes take neighbouring entries together. */
template <int LANES> static __device__ __forceinline__ int entry_at(int k)
{
  constexpr int row = row_of<LANES>();
  return (k & ~(row - 1)) + ((k & (LANES - 1)) << 2) + (k & (row - 1)) / LANES;
}

/* The same among the entries that stand apart, whose rows go down from the last. */
template <int LANES> static __device__ __forceinline__ int apart_at(int k, int room)
{
  constexpr int row = row_of<LANES>();
  return entry_at<LANES>(k) + room - row - 2 * (k & ~(row - 1));
}

/* A store that some lanes do, without a branch. */
static __device__ __forceinline__ void store_if(int condition, int *to, int value)
{
  asm volatile(
      "{ .reg .pred p; setp.ne.s32 p, %0, 0; @p st.global.s32 [%1], %2; }" ::"r"(condition),
      "l"(to), "r"(value)
      : "memory");
}

/* Tests up to 32 candidates of a ring against 4 beads of a group, from SOME on, and lists them.
   What does not fit is written somewhere: the lists are built again then. */
template <int LANES, int PART, int SOME>
static __device__ __forceinline__ void candidates_test(const struct list_job &job, int lane,
                                                       const struct warp_memory *w, const int4 q,
                                                       int held, struct lists *l)
{
  const unsigned below = (1u << lane) - 1u;
#pragma unroll
  for (int b = SOME; b < SOME + GROUP / 2; b++) {
    const int4 me = w->bead[b];
    float dx = (float)(int)((unsigned)q.x - (unsigned)me.x) * job.h[0],
          dy = (float)(int)((unsigned)q.y - (unsigned)me.y) * job.h[1],
          dz = (float)(int)((unsigned)q.z - (unsigned)me.z) * job.h[2];
    float d2 = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
    int hit = lane < held && d2 < __int_as_float(me.w) && d2 > 0.0f;
    unsigned hits = __ballot_sync(ALL_LANES, hit);
    int at = min(l->count[PART][b] + __popc(hits & below), l->room - 1);
    at = PART ? apart_at<LANES>(at, l->room) : entry_at<LANES>(at);
    store_if(hit, l->first + (b * l->room + at), bead_of(q.w));
    l->count[PART][b] += __popc(hits);
    l->zeros += lane < held && d2 == 0.0f;
  }
}

template <int LANES, int PART>
static __device__ __forceinline__ void ring_test(const struct list_job &job, const struct group &g,
                                                 const struct warp_memory *w, struct waiting *wait,
                                                 struct lists *l)
{
  const int4 q = w->ring[PART][(wait->first + g.lane) % RING];
  candidates_test<LANES, PART, 0>(job, g.lane, w, q, wait->n, l);
  if (g.n > GROUP / 2) candidates_test<LANES, PART, GROUP / 2>(job, g.lane, w, q, wait->n, l);
  wait->first = (wait->first + 32) % RING;
  wait->n -= 32;
}

/* The candidates of a group, tested as soon as there are enough for a warp. */
template <int LANES>
static __device__ __forceinline__ void candidates_list(const struct list_job &job,
                                                       const struct group &g, struct warp_memory *w,
                                                       struct lists *l)
{
  const int columns = job.reach[0].n * job.reach[1].n;
  int column = 0, from = 0, all = 0, k = 0;
  struct waiting wait[2] = {{0, 0}, {0, 0}};
  for (;;) {
    int n = all - from < PIECES ? all - from : PIECES, last = column >= columns;
    if (k < n) {
      pieces_keep(job, g, w, k, n, wait);
      k += 32 / PIECE;
    } else if (!last) {
      /* The next pieces of these columns, or the first of the next. */
      from += all > 0 ? PIECES : 0;
      if (all > 0 && from >= all) {
        column += 32;
        from = 0;
      }
      all = column < columns ? pieces_fill(job, g, w, column, from) : 0;
      if (all == 0) column += 32;
      k = 0;
      continue;
    }
    __syncwarp();
    if (wait[0].n >= 32 || (last && wait[0].n > 0)) ring_test<LANES, 0>(job, g, w, &wait[0], l);
    if (wait[1].n >= 32 || (last && wait[1].n > 0)) ring_test<LANES, 1>(job, g, w, &wait[1], l);
    __syncwarp();
    if (last && wait[0].n <= 0 && wait[1].n <= 0) break;
  }
}

/* Puts the bead itself, which counts for nothing, in the place of excluded partners. */
static __device__ __forceinline__ void excluded_blank(const struct list_job &job, int lane, int me,
                                                      int *list, int room, int plain, int apart)
{
  const int slot = job.slot[me];
  for (int e = job.exclude_start[slot]; e < job.exclude_start[slot + 1]; e++) {
    int64_t id = job.id[me] + job.exclude[e];
    int partner = id >= 1 && id <= job.n_total ? job.local[id] : -1;
    for (int k = lane; partner >= 0 && k < plain; k += 32)
      if (list[k] == partner) list[k] = me;
    for (int k = lane; partner >= 0 && k < apart; k += 32)
      if (list[room - 1 - k] == partner) list[room - 1 - k] = me;
  }
}

template <int LANES> static __device__ __forceinline__ int rows_for(int entries)
{
  return (entries + row_of<LANES>() - 1) / row_of<LANES>();
}

/* Fills up the last rows of each bead with the bead itself and notes their numbers. */
template <int LANES>
static __device__ __forceinline__ void lists_end(const struct list_job &job, const struct group &g,
                                                 const struct lists &l)
{
  constexpr int row = row_of<LANES>();
  int count[2] = {0, 0}; /* of the bead of this lane */
#pragma unroll
  for (int b = 0; b < GROUP; b++)
    for (int part = 0; part < 2; part++)
      count[part] = g.lane == b ? l.count[part][b] : count[part];
  struct list_head head = {{rows_for<LANES>(count[0]), rows_for<LANES>(count[1])}};
  int rows = g.lane < g.n ? head.rows[0] + head.rows[1] : 0;
  int most = __reduce_max_sync(ALL_LANES, rows), all = __reduce_add_sync(ALL_LANES, rows);
  if (g.lane == 0) {
    add_int64(&job.report->listed, (int64_t)all * row);
    if (most > *(volatile int *)&job.report->most_rows) atomicMax(&job.report->most_rows, most);
  }
  if (most > job.most_rows) return;
  if (g.lane < g.n) job.head[g.first + g.lane] = head;
  for (int b = 0; b < g.n; b++) {
    int me = g.first + b, *list = l.first + b * l.room;
    int n = __shfl_sync(ALL_LANES, count[0], b), m = __shfl_sync(ALL_LANES, count[1], b);
    for (int k = n + g.lane; k < rows_for<LANES>(n) * row; k += 32)
      list[entry_at<LANES>(k)] = me;
    for (int k = m + g.lane; k < rows_for<LANES>(m) * row; k += 32)
      list[apart_at<LANES>(k, l.room)] = me;
    if (!job.local || job.slot[me] < 0) continue;
    __syncwarp();
    excluded_blank(job, g.lane, me, list, l.room, rows_for<LANES>(n) * row,
                   rows_for<LANES>(m) * row);
  }
}

template <int LANES>
static __device__ __forceinline__ void lists_of(const struct list_job &job, const struct group &g,
                                                struct warp_memory *w)
{
  struct lists l;
  l.room = job.most_rows * row_of<LANES>();
  l.first = job.index + (int64_t)g.first * l.room;
  l.zeros = 0;
#pragma unroll
  for (int b = 0; b < GROUP; b++)
    l.count[0][b] = l.count[1][b] = 0;
  candidates_list<LANES>(job, g, w, &l);
  /* Every bead lies on its own point, and no other. */
  if ((int)__reduce_add_sync(ALL_LANES, (unsigned)l.zeros) != (g.n > GROUP / 2 ? GROUP : GROUP / 2))
    fault_point(job, g);
  lists_end<LANES>(job, g, l);
}

/* The longest group of beads from first on that are in one column and, where the box is low, not
   far apart along z: so that the windows of all of them make one without overlap. */
static __device__ __forceinline__ struct group group_of(const struct list_job &job, int first,
                                                        int end, int lane, struct warp_memory *w)
{
  struct group g;
  int i = first + lane < end ? first + lane : end - 1, cell[3], origin[3];
  const int *from = job.position + 3 * (int64_t)i, x[3] = {from[0], from[1], from[2]};
  float in[3];
  for (int k = 0; k < 3; k++) {
    cell[k] = cell_of(x[k], job.cells[k], &in[k]);
    origin[k] = __shfl_sync(ALL_LANES, cell[k], 0);
  }
  int belongs = first + lane < end && cell[0] == origin[0] && cell[1] == origin[1] &&
                (lane == 0 || cell[2] - origin[2] <= job.span_most);
  g.first = first;
  g.lane = lane;
  g.n = __ffs((int)~__ballot_sync(ALL_LANES, belongs)) - 1;
  g.column[0] = origin[0];
  g.column[1] = origin[1];
  g.floor = origin[2];
  for (int k = 0; k < 3; k++) {
    int at = __shfl_sync(ALL_LANES, x[k], 0);
    int d = lane < g.n ? (int)((unsigned)x[k] - (unsigned)at) : 0;
    int low = __reduce_min_sync(ALL_LANES, d), high = __reduce_max_sync(ALL_LANES, d);
    float in_first = __shfl_sync(ALL_LANES, in[k], 0), cells = job.h[k] / job.width[k];
    g.low[k] = in_first + (float)low * cells;
    g.high[k] = in_first + (float)high * cells;
    g.centre[k] = (int)((unsigned)at + (unsigned)low + (unsigned)(high - low) / 2);
    g.half[k] = ((float)((unsigned)(high - low) / 2) + 1.0f) * job.h[k] * 1.00001f;
  }
  __syncwarp();
  int4 held = make_int4(x[0], x[1], x[2], __float_as_int(lane < g.n ? job.r2max : -1.0f));
  /* In the place of beads that are not there, the first one. */
  for (int k = 0; k < 3; k++)
    ((int *)&held)[k] = __shfl_sync(ALL_LANES, ((int *)&held)[k], lane < g.n ? lane : 0);
  if (lane < GROUP) w->bead[lane] = held;
  __syncwarp();
  return g;
}

template <int LANES>
static __global__ __launch_bounds__(32 * WARPS,
                                    6) void lists_fill(const __grid_constant__ struct list_job job)
{
  __shared__ struct warp_memory memory[WARPS];
  struct warp_memory *w = &memory[threadIdx.x / 32];
  int lane = (int)(threadIdx.x % 32);
  int64_t first = thread_index() / 32 * job.group;
  int end = (int)(first + job.group < job.n ? first + job.group : job.n);
  for (int i = (int)first; i < end;) {
    const struct group g = group_of(job, i, end, lane, w);
    lists_of<LANES>(job, g, w);
    i += g.n;
  }
}

static struct reach reach_of(const struct grid *g, int axis)
{
  struct reach r;
  int n = g->n[axis], far = (int)(g->radius / (g->box[axis] / n)) + 1;
  r.low = 2 * far + 1 > n ? -(n / 2) : -far;
  r.n = 2 * far + 1 > n ? n : 2 * far + 1;
  return r;
}

static struct list_job job_of(struct gpu *c)
{
  struct list_job j;
  /* Pairs are tested in float; the margin keeps every pair that exact arithmetic would. */
  double radius = c->grid.radius * 1.000001;
  j.n = c->base.n;
  j.group = c->base.n < SMALL ? GROUP / 2 : GROUP;
  j.head = c->list.head;
  j.index = c->list.index;
  j.most_rows = c->list.most_rows;
  j.sorted = c->sorted;
  j.position = c->beads.build_position;
  j.start = c->start;
  for (int k = 0; k < 3; k++) {
    j.cells[k] = c->grid.n[k];
    j.width[k] = (float)(c->grid.box[k] / c->grid.n[k]);
    j.h[k] = (float)(c->grid.box[k] / 4294967296.0);
  }
  for (int k = 0; k < 2; k++)
    j.reach[k] = reach_of(&c->grid, k);
  j.r2max = (float)(radius * radius);
  j.span_most = c->grid.n[2] - 2 * ((int)(radius / (double)j.width[2]) + 2) - 2;
  j.id = c->id;
  j.slot = c->beads.slot;
  j.exclude_start = c->exclude_start;
  j.exclude = c->exclude;
  j.local = c->local;
  j.n_total = c->config.n_total;
  j.report = c->report;
  return j;
}

/* A first guess from the density, a quarter above it. */
static int rows_guess(const struct gpu *c)
{
  const double *l = c->grid.box, r = c->grid.radius;
  double n = 4.2 * r * r * r * (double)c->config.n_total / (l[0] * l[1] * l[2]);
  return (int)(fmin(n * 1.25, 1e6) / (4 * c->list.lanes)) + 3;
}

void cuda_list_build(struct gpu *c)
{
  if (c->list.most_rows == 0) c->list.most_rows = rows_guess(c);
  int64_t bytes =
      (int64_t)c->base.n * c->list.most_rows * 4 * c->list.lanes * (int64_t)sizeof *c->list.index;
  if (bytes > c->list.index_bytes)
    cuda_grow(c, (void **)&c->list.index, &c->list.index_bytes,
              c->list.index_bytes ? bytes + bytes / 8 : bytes, 0, "neighbour lists");
  struct list_job job = job_of(c);
  int64_t threads = (int64_t)launch_blocks(job.n, job.group) * 32;
  if (c->list.lanes == 4)
    LAUNCH(lists_fill<4>, threads, 32 * WARPS, c, job);
  else if (c->list.lanes == 8)
    LAUNCH(lists_fill<8>, threads, 32 * WARPS, c, job);
  else
    LAUNCH(lists_fill<16>, threads, 32 * WARPS, c, job);
}
