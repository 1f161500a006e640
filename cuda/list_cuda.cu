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
  const int32_t *position, *type;
  const struct cuda_type *types;
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
  int4 bead[GROUP];       /* build position, index */
  int4 ring[RING];        /* candidates, as they stand in sorted */
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

/* Puts those beads of a few pieces, from the k-th of n on, that are close to a group into the ring
   behind `at`; their number. */
static __device__ __forceinline__ int pieces_keep(const struct list_job &job, const struct group &g,
                                                  struct warp_memory *w, int k, int n, int at)
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
  unsigned kept = __ballot_sync(ALL_LANES, near);
  if (near) w->ring[(at + __popc(kept & below)) % RING] = q;
  return __popc(kept);
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

/* Notes a candidate that lies on the point of a bead of a group. */
static __device__ __noinline__ void fault_point(const struct list_job &job, const int4 *bead,
                                                int4 q)
{
  struct cuda_fault *f = &job.report->point;
  const int x[3] = {q.x, q.y, q.z};
  int other = 0;
  for (int b = 0; b < GROUP; b++)
    if (q.x == bead[b].x && q.y == bead[b].y && q.z == bead[b].z && bead[b].w != bead_of(q.w))
      other = bead[b].w;
  if (!fault_take(f)) return;
  f->bead = job.id[bead_of(q.w)];
  f->other = job.id[other];
  for (int k = 0; k < 3; k++)
    f->value[k] = (double)(uint32_t)x[k] / 4294967296.0;
}

/* The lists of a group while they grow; the same in all lanes. */
struct lists {
  int plain[GROUP], apart[GROUP]; /* entries */
  unsigned charged, axis;         /* bits of the beads of these classes */
  int64_t first;                  /* where the list of the first bead begins in index */
};

/* Where the k-th entry of a part stands: lanes take neighbouring entries together. */
template <int BITS> static __device__ __forceinline__ int entry_at(int k)
{
  constexpr int in_row = (4 << BITS) - 1, lanes = (1 << BITS) - 1;
  return (k & ~in_row) + ((k & lanes) << 2) + ((k & in_row) >> BITS);
}

/* The same among the entries that stand apart, whose rows go down from the last. */
template <int BITS> static __device__ __forceinline__ int apart_at(int k, int most_rows)
{
  constexpr int bits = BITS + 2;
  return entry_at<BITS>(k) + ((most_rows - 1 - 2 * (k >> bits)) << bits);
}

/* Tests n candidates of the ring, from one on, against the beads of a group: some, of 4, at a time.
 */
template <int BITS, int SOME>
static __device__ __forceinline__ void
candidates_test(const struct list_job &job, const struct group &g, const struct warp_memory *w,
                int4 q, float limit, unsigned charged, struct lists *l)
{
  const unsigned below = (1u << g.lane) - 1u;
  const int room = job.most_rows << (BITS + 2), j = bead_of(q.w);
  float nearest = 1.0f;
#pragma unroll
  for (int b = SOME; b < SOME + GROUP / 2; b++) {
    const int4 me = w->bead[b];
    float dx = (float)(int)((unsigned)q.x - (unsigned)me.x) * job.h[0],
          dy = (float)(int)((unsigned)q.y - (unsigned)me.y) * job.h[1],
          dz = (float)(int)((unsigned)q.z - (unsigned)me.z) * job.h[2];
    float d2 = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
    int hit = d2 < limit && j != me.w;
    if (hit) nearest = fminf(nearest, d2);
    unsigned hits = __ballot_sync(ALL_LANES, hit), apart = 0;
    int *list = job.index + l->first + (int64_t)b * room;
    if (charged | l->charged) {
      apart = l->charged >> b & 1u ? hits : l->axis >> b & 1u ? hits & charged : 0;
      int at = l->apart[b] + __popc(apart & below);
      if ((apart >> g.lane & 1u) && at < room && b < g.n)
        list[apart_at<BITS>(at, job.most_rows)] = j;
      l->apart[b] += __popc(apart);
      hits &= ~apart;
    }
    int at = l->plain[b] + __popc(hits & below);
    if ((hits >> g.lane & 1u) && at < room && b < g.n) list[entry_at<BITS>(at)] = j;
    l->plain[b] += __popc(hits);
  }
  if (nearest == 0.0f) fault_point(job, w->bead, q);
}

/* The candidates of a group, tested as soon as there are enough for a warp. */
template <int BITS>
static __device__ __forceinline__ void candidates_list(const struct list_job &job,
                                                       const struct group &g, struct warp_memory *w,
                                                       struct lists *l)
{
  const int columns = job.reach[0].n * job.reach[1].n;
  int column = 0, from = 0, all = 0, k = 0, first = 0, held = 0;
  for (;;) {
    while (held < 32 && column < columns) {
      int n = all - from < PIECES ? all - from : PIECES;
      if (k < n) {
        held += pieces_keep(job, g, w, k, n, first + held);
        k += 32 / PIECE;
        continue;
      }
      /* The next pieces of these columns, or the first of the next. */
      if (all > 0) from += PIECES;
      if (all > 0 && from >= all) {
        column += 32;
        from = 0;
      }
      all = column < columns ? pieces_fill(job, g, w, column, from) : 0;
      if (all == 0) column += 32;
      k = 0;
    }
    if (held == 0) break;
    __syncwarp();
    const int4 q = w->ring[(first + g.lane) % RING];
    const float limit = g.lane < held ? job.r2max : -1.0f;
    const unsigned charged = __ballot_sync(ALL_LANES, g.lane < held && q.w < 0);
    candidates_test<BITS, 0>(job, g, w, q, limit, charged, l);
    if (g.n > GROUP / 2) candidates_test<BITS, GROUP / 2>(job, g, w, q, limit, charged, l);
    int tested = held < 32 ? held : 32;
    first = (first + tested) % RING;
    held -= tested;
    __syncwarp();
  }
}

/* Puts the bead itself, which counts for nothing, in the place of excluded partners. */
template <int BITS>
static __device__ __forceinline__ void excluded_blank(const struct list_job &job, int lane, int me,
                                                      int *list, const struct list_head &head)
{
  const int slot = job.slot[me];
  if (slot < 0) return;
  for (int e = job.exclude_start[slot]; e < job.exclude_start[slot + 1]; e++) {
    int64_t id = job.id[me] + job.exclude[e];
    int partner = id >= 1 && id <= job.n_total ? job.local[id] : -1, gap = job.most_rows;
    gap = (gap - head.rows[0] - head.rows[1]) << (BITS + 2);
    for (int k = lane; partner >= 0 && k < (head.rows[0] + head.rows[1]) << (BITS + 2); k += 32) {
      int at = k < head.rows[0] << (BITS + 2) ? k : k + gap;
      if (list[at] == partner) list[at] = me;
    }
  }
}

/* Fills up the last rows of a bead with the bead itself and notes how many there are; 0 where there
   was no room for them. */
template <int BITS>
static __device__ __forceinline__ int list_end(const struct list_job &job, int lane, int me,
                                               int *list, int plain, int apart,
                                               struct list_head *head)
{
  constexpr int bits = BITS + 2, more = (1 << bits) - 1;
  head->rows[0] = (plain + more) >> bits;
  head->rows[1] = (apart + more) >> bits;
  int rows = head->rows[0] + head->rows[1];
  if (lane == 0 && rows > *(volatile int *)&job.report->most_rows)
    atomicMax(&job.report->most_rows, rows);
  if (rows > job.most_rows) return 0;
  for (int k = plain + lane; k < head->rows[0] << bits; k += 32)
    list[entry_at<BITS>(k)] = me;
  for (int k = apart + lane; k < head->rows[1] << bits; k += 32)
    list[apart_at<BITS>(k, job.most_rows)] = me;
  if (lane == 0) job.head[me] = *head;
  return 1;
}

template <int BITS>
static __device__ __forceinline__ void lists_of(const struct list_job &job, const struct group &g,
                                                struct warp_memory *w)
{
  struct lists l;
  const int room = job.most_rows << (BITS + 2);
  int interaction = CLASS_POINT;
  if (g.lane < g.n) interaction = job.types[job.type[g.first + g.lane]].interaction;
  l.charged = __ballot_sync(ALL_LANES, interaction == CLASS_CHARGED);
  l.axis = __ballot_sync(ALL_LANES, interaction == CLASS_AXIS);
  l.first = (int64_t)g.first * room;
#pragma unroll
  for (int b = 0; b < GROUP; b++)
    l.plain[b] = l.apart[b] = 0;
  candidates_list<BITS>(job, g, w, &l);
  int64_t listed = 0;
#pragma unroll 1
  for (int b = 0; b < g.n; b++) {
    struct list_head head;
    int plain = 0, apart = 0, me = g.first + b, *list = job.index + l.first + (int64_t)b * room;
#pragma unroll
    for (int k = 0; k < GROUP; k++) {
      plain = k == b ? l.plain[k] : plain;
      apart = k == b ? l.apart[k] : apart;
    }
    if (list_end<BITS>(job, g.lane, me, list, plain, apart, &head) && job.local) {
      __syncwarp();
      excluded_blank<BITS>(job, g.lane, me, list, head);
    }
    listed += (head.rows[0] + head.rows[1]) << (BITS + 2);
  }
  if (g.lane == 0) add_int64(&job.report->listed, listed);
}

/* The longest group of beads from first on that are in one column and, where the box is low, not
   far apart along z: so that the windows of all of them make one without overlap. */
static __device__ __forceinline__ struct group group_of(const struct list_job &job, int first,
                                                        int end, int lane, struct warp_memory *w)
{
  struct group g;
  int i = first + lane < end ? first + lane : end - 1, cell[3], origin[3];
  int4 me = make_int4(job.position[3 * (int64_t)i], job.position[3 * (int64_t)i + 1],
                      job.position[3 * (int64_t)i + 2], i);
  const int x[3] = {me.x, me.y, me.z};
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
  if (lane < GROUP) w->bead[lane] = me;
  __syncwarp();
  return g;
}

template <int BITS>
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
    lists_of<BITS>(job, g, w);
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
  j.type = c->beads.type;
  j.types = c->type;
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
    LAUNCH(lists_fill<2>, threads, 32 * WARPS, c, job);
  else if (c->list.lanes == 8)
    LAUNCH(lists_fill<3>, threads, 32 * WARPS, c, job);
  else
    LAUNCH(lists_fill<4>, threads, 32 * WARPS, c, job);
}
