/* A group of beads whose lists a warp builds, and its candidates: the beads in the cells within
   reach of the group, in canonical order, that are close to its bounding box.

   Distances are tested in float, on coordinates without their COARSE lowest bits, relative to a
   point near the group. These are multiples of 2^COARSE below 2^31, so a float holds each exactly,
   and the difference of any two that are less than half a box apart. So a test has the same result
   in every group, and costs one subtraction per axis. */
#ifndef LIST_GROUP_CUDA_CUH
#define LIST_GROUP_CUDA_CUH

#include "backend/list_test.h"
#include "cuda/lists/ids.cuh"
#include "cuda/lists/list.h"

enum {
  WARPS = 4,
  GROUP = 8,   /* most beads of a group */
  PIECE = 8,   /* most beads of a piece: consecutive sorted beads, read by as many lanes */
  AT_ONCE = 2, /* beads that a lane reads at a time, of as many pieces */
  STEP = AT_ONCE * 32 / PIECE, /* pieces that a warp reads at a time */
  PIECES = 256,                /* pieces that a warp has in shared memory, a multiple of STEP */
  RING = 128 /* untested candidates that a warp has room for: less than 32, and a STEP */
};

/* Columns along x or y that a bead may reach: low, ..., low + n - 1, relative to its own. */
struct reach {
  int low, n;
};

/* Argument of the kernels that build or search lists. Kernels with FILTERED 1 are for lists of the
   pairs of some list classes only: beads without partners are left out of the bounding box of their
   group, and candidates that are partners of no bead of a group are dropped before the tests. */
struct list_job {
  int n, group, most_rows; /* owned beads; most beads of a group; struct cuda_list */
  struct list_head *head;
  int *index;
  const struct bead_record *sorted; /* struct gpu_sorting */
  const int32_t *position;          /* of the build, box / 2^32 */
  const int *start;
  struct cuda_held held;
  int cells[3]; /* of the whole box */
  struct reach reach[2];
  /* 2^16 / reach[1].n, rounded up. Up to nine columns are in reach along an axis, so the quotient
     of the number c of a column is c * divide >> 16. */
  unsigned divide;
  float width[3], h[3]; /* nm; edge of a cell; box / 2^32 */
  float per, cell[3];   /* cells along z per nm; box / 2^32 in cells */
  float under[3];       /* h, rounded down by more than float rounds */
  /* Of an oblique box: the components of vectors off the diagonal over h[0], h[0], h[1], in units
     of positions; and backend/grid.h. */
  int oblique;
  float shear[3];
  struct grid_metric metric;
  float r2, ratio[2]; /* list radius squared in h[0]^2; (h[1] / h[0])^2, (h[2] / h[0])^2 */
  float reach2;       /* nm2; squared distance within which candidates are looked for */
  unsigned apart[3];  /* box / 2^32; largest distance from the first bead of a group, either way */
  int span;           /* most cells along z from that of the first bead up to that of another */
  /* Windows of so many cells along z become whole columns, from the bottom of the box: its height,
     or 0 where list_span is negative in double precision. */
  int most_high;
  /* FILTERED: by list class, bits of the list classes of partners; types of the beads. */
  unsigned partners[PAIR_CLASSES_MOST];
  const int32_t *type;
  const struct cuda_type *types;
  /* Exclusions: */
  const int64_t *id;
  const int32_t *slot;
  const int *exclude_start; /* NULL: no exclusions */
  const int64_t *exclude;
  struct cuda_ids ids;
  struct cuda_report *report;
  int *longest; /* rows of the longest list, in the report */
};

/* list.cu: the job of a list with candidates up to reach (nm), at least its radius. */
struct list_job cuda_list_job(struct gpu *c, int list, double reach);
/* The radius of a list, nm. */
double cuda_list_radius(const struct gpu *c, int list);

/* Shared memory of a warp. */
struct warp_memory {
  float4 bead[GROUP]; /* relative to the centre of the group; w: list radius squared, -1: no bead */
  float4 ring[LIST_PARTS * RING]; /* candidates, part by part: likewise; w: sorted.type */
  unsigned piece[PIECES];         /* index into sorted of the first bead; number of beads */
  /* FILTERED: by list class, bits of the beads of the group that have partners of it. */
  unsigned takes[PAIR_CLASSES_MOST];
};
enum { PIECE_SHIFT = 28, PIECE_FIRST = (1 << PIECE_SHIFT) - 1 };
static_assert((int)SORTED_BEAD <= (int)PIECE_FIRST, "pieces hold every bead that entries can");
static_assert(PIECE < 1 << (32 - PIECE_SHIFT), "and the number of their beads");
static_assert(PIECES % STEP == 0 && RING >= 31 + 32 * AT_ONCE, "a step fits");

/* A group: beads [first, first + n). Equal in all lanes but for `lane`. */
struct group {
  int first, n, lane;
  int column[2], floor;  /* column of cells, x and y; floor: cell along z of the first bead */
  float low[3], high[3]; /* bounding box of the beads, in cells relative to column and floor */
  int centre[3];         /* of the bounding box, box / 2^32, a multiple of 2^COARSE */
  float half[3];         /* nm; half of its edges, rounded up */
  float radius;          /* nm; in oblique boxes: of a sphere around the bounding box */
  /* FILTERED: bits of the beads with partners, and of the list classes of their partners. */
  unsigned listed, partners;
};

/* Two ranges of sorted beads: a window that wraps around the box along z has two. */
struct runs {
  int begin[2], length[2];
};

/* The list class of a sorted bead. */
DEVICE unsigned list_class_of(int entry)
{
  return (unsigned)entry >> CLASS_SHIFT & ((1u << (PART_SHIFT - CLASS_SHIFT)) - 1u);
}

/* Cell of a coordinate (box / 2^32) of n cells; *fraction: how far into the cell, 0 to 1. */
DEVICE int cell_of(int x, int n, float *fraction)
{
  uint64_t at = (uint64_t)(uint32_t)x * (uint64_t)n;
  *fraction = (float)(uint32_t)at * 2.3283064365386963e-10f;
  return (int)(at >> 32);
}

DEVICE float gap(float low, float high, float cell)
{
  return fmaxf(fmaxf(cell - high, low - (cell + 1.0f)), 0.0f);
}

/* Distance along an axis, in cells, from [low, high] to the nearer of cell k and its periodic
   image. */
DEVICE float cell_distance(int k, int n, float low, float high)
{
  float near = (float)k, other = k < 0 ? near + (float)n : near - (float)n;
  return fminf(gap(low, high, near), gap(low, high, other));
}

DEVICE int wrapped(int k, int n)
{
  return k < 0 ? k + n : k >= n ? k - n : k;
}

/* Sets the cells along z within reach of a group in the column of an oblique box that is a and b
   columns away, relative to g.floor. 0 if there are none. */
DEVICE int window_oblique(const struct list_job &job, const struct group &g, int a, int b,
                          float *low, float *high)
{
  const float u[2] = {(float)a - g.high[0], (float)(a + 1) - g.low[0]},
              v[2] = {(float)b - g.high[1], (float)(b + 1) - g.low[1]};
  const float most = sqrtf(job.reach2) * job.per * 1.00001f + 0.00001f;
  float below = most, above = most;
  /* Columns that go around the box are near by either image. */
  if (job.reach[0].n < job.cells[0] && job.reach[1].n < job.cells[1] &&
      !grid_window(&job.metric, u, v, job.reach2, &below, &above))
    return 0;
  *low = g.low[2] - fminf(below, most);
  *high = g.high[2] + fminf(above, most);
  return 1;
}

/* The sorted beads within reach of a group in the c-th column around it. Distances are
   underestimated by more than rounding errors: the tests of pairs decide. */
template <int OBLIQUE>
DEVICE struct runs column_runs(const struct list_job &job, const struct group &g, int c)
{
  struct runs r = {{0, 0}, {0, 0}};
  const int row = (int)((unsigned)c * job.divide >> 16);
  const int a = job.reach[0].low + row, b = job.reach[1].low + c - row * job.reach[1].n;
  int nx = job.cells[0], ny = job.cells[1], nz = job.cells[2];
  float bottom, top;
  if (OBLIQUE) {
    if (!window_oblique(job, g, a, b, &bottom, &top)) return r;
  } else {
    float dx = cell_distance(a, nx, g.low[0], g.high[0]) * job.width[0],
          dy = cell_distance(b, ny, g.low[1], g.high[1]) * job.width[1];
    float left = job.reach2 - (dx * dx + dy * dy) * 0.99999f;
    if (!(left > 0.0f)) return r;
    const float reach = left * rsqrtf(left) * job.per * 1.00001f + 0.00001f;
    bottom = g.low[2] - reach;
    top = g.high[2] + reach;
  }
  const int x = wrapped(wrapped(g.column[0] + a, nx) - job.held.first[0], nx),
            y = wrapped(wrapped(g.column[1] + b, ny) - job.held.first[1], ny);
  if (x >= job.held.n[0] || y >= job.held.n[1]) return r;
  const int *start = job.start + (unsigned)(x * job.held.n[1] + y) * (unsigned)(nz + 1);
  int low = g.floor + (int)floorf(bottom), high = g.floor + (int)floorf(top);
  if (OBLIQUE && (low >= nz || high < 0)) { /* all of it in the next image */
    const int image = low >= nz ? -nz : nz;
    low += image;
    high += image;
  }
  if (high - low + 1 >= job.most_high) {
    low = 0;
    high = nz - 1;
  }
  int first = low < 0 ? 0 : low, end = high < nz ? high + 1 : nz;
  if (low < 0) {
    r.begin[0] = start[low + nz];
    r.length[0] = start[nz] - r.begin[0];
  }
  int begin = start[first], length = start[end] - begin;
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

/* A coordinate relative to the centre of a group, rounded down to a multiple of 2^COARSE. The
   centre is such a multiple too, so that the difference is exact in a float. */
DEVICE float coarse(int x, int centre)
{
  return (float)((int)((unsigned)x - (unsigned)centre) & ~((1 << COARSE) - 1));
}

/* Squared distance in units of h[0]^2, as tests compare it. OBLIQUE: 1 for boxes that are not
   rectangular. */
template <int OBLIQUE>
DEVICE float coarse2(const struct list_job &job, float dx, float dy, float dz)
{
  return list_distance2(job.ratio, job.shear, OBLIQUE, dx, dy, dz);
}

/* Distance along an axis, nm, from a box with half edge `half` (nm) around 0 to x, underestimated.
   under: of struct list_job. */
DEVICE float box_distance(float x, float under, float half)
{
  return fmaxf(fmaf(fabsf(x), under, -half), 0.0f);
}

/* The candidates of a ring: numbers first, ..., end - 1 wait for their test, each in the place of
   its number modulo RING. */
struct waiting {
  unsigned first, end;
};

/* 1 if a sorted bead is within reach of the bounding box of a group. q: relative to the centre. */
template <int FILTERED, int OBLIQUE>
DEVICE int is_near(const struct list_job &job, const struct group &g, const float4 q)
{
  const float dx = box_distance(q.x, job.under[0], g.half[0]),
              dy = box_distance(q.y, job.under[1], g.half[1]),
              dz = box_distance(q.z, job.under[2], g.half[2]);
  float d2 = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
  if (OBLIQUE) {
    const float d = sqrtf(coarse2<1>(job, q.x, q.y, q.z)) * job.h[0] * 0.99999f - g.radius;
    d2 = d > 0.0f ? d * d : 0.0f;
  }
  int near = d2 < job.reach2;
  if (FILTERED) near = near && (g.partners >> list_class_of(__float_as_int(q.w)) & 1u);
  return near;
}

/* Appends the candidates q of the lanes with `near` to the rings of their parts. */
DEVICE void ring_append(struct warp_memory *w, int near, const float4 q, unsigned below,
                        struct waiting wait[2])
{
  const int part = (unsigned)__float_as_int(q.w) >> PART_SHIFT;
  const unsigned plain = __ballot_sync(ALL_LANES, near && !part),
                 apart = __ballot_sync(ALL_LANES, near && part);
  const unsigned at =
      (part ? wait[1].end : wait[0].end) + (unsigned)__popc((part ? apart : plain) & below);
  if (near) w->ring[(unsigned)part * RING + at % RING] = q;
  wait[0].end += (unsigned)__popc(plain);
  wait[1].end += (unsigned)__popc(apart);
}

/* Reads STEP pieces from the k-th on, AT_ONCE beads per lane. Beads within reach of the bounding
   box of the group are appended to the ring of their part. */
template <int FILTERED, int OBLIQUE>
DEVICE void pieces_keep(const struct list_job &job, const struct group &g, struct warp_memory *w,
                        int k, struct waiting wait[2])
{
  const unsigned below = (1u << g.lane) - 1u, in = (unsigned)g.lane % PIECE;
  int4 from[AT_ONCE];
  int held[AT_ONCE];
#pragma unroll
  for (int e = 0; e < AT_ONCE; e++) {
    const unsigned piece = w->piece[k + e * (32 / PIECE) + g.lane / PIECE];
    held[e] = in < piece >> PIECE_SHIFT;
    from[e] = ((const int4 *)job.sorted)[held[e] ? (piece & PIECE_FIRST) + in : 0];
  }
#pragma unroll
  for (int e = 0; e < AT_ONCE; e++) {
    const float4 q = make_float4(coarse(from[e].x, g.centre[0]), coarse(from[e].y, g.centre[1]),
                                 coarse(from[e].z, g.centre[2]), __int_as_float(from[e].w));
    const int near = is_near<FILTERED, OBLIQUE>(job, g, q);
    ring_append(w, held[e] & near, q, below, wait);
  }
}

/* Cuts the two runs of a column into pieces of at most PIECE beads and stores them in w->piece. The
   first piece has the given number; piece number m is stored at m - from, if 0 <= m - from <
   PIECES. */
DEVICE void pieces_note(struct warp_memory *w, const struct runs &r, int number, int from)
{
  int at = number - from; /* index of the first piece of a run */
#pragma unroll
  for (int run = 0; run < 2; run++) {
    for (int k = at < 0 ? -at * PIECE : 0; k < r.length[run] && at + k / PIECE < PIECES;
         k += PIECE) {
      int left = r.length[run] - k, n = left < PIECE ? left : PIECE;
      w->piece[at + k / PIECE] = (unsigned)(r.begin[run] + k) | (unsigned)n << PIECE_SHIFT;
    }
    at += (r.length[run] + PIECE - 1) / PIECE;
  }
}

/* Stores the pieces of 32 columns in w->piece, one column per lane, from piece number `from` on,
   and empty ones up to the next STEP. Returns the number of pieces of these columns. */
template <int OBLIQUE>
DEVICE int pieces_fill(const struct list_job &job, const struct group &g, struct warp_memory *w,
                       int column, int from)
{
  struct runs r = {{0, 0}, {0, 0}};
  column += g.lane;
  if (column < job.reach[0].n * job.reach[1].n) r = column_runs<OBLIQUE>(job, g, column);
  int pieces = (r.length[0] + PIECE - 1) / PIECE + (r.length[1] + PIECE - 1) / PIECE;
  int end = pieces;
  for (int d = 1; d < 32; d *= 2) {
    int below = __shfl_up_sync(ALL_LANES, end, d);
    if (g.lane >= d) end += below;
  }
  const int all = __shfl_sync(ALL_LANES, end, 31);
  __syncwarp();
  pieces_note(w, r, end - pieces, from);
  const int empty = all - from + g.lane;
  if (g.lane < STEP && empty < PIECES) w->piece[empty] = 0;
  __syncwarp();
  return all;
}

/* Sets g->listed, g->partners and w->takes. partners: bits of the list classes that are partners of
   the bead of this lane. */
DEVICE void group_partners(struct group *g, unsigned partners, struct warp_memory *w)
{
  g->listed = __ballot_sync(ALL_LANES, partners != 0);
  g->partners = __reduce_or_sync(ALL_LANES, partners);
#pragma unroll
  for (int k = 0; k < PAIR_CLASSES_MOST; k++) {
    const unsigned takes = __ballot_sync(ALL_LANES, partners >> k & 1u);
    if (g->lane == k) w->takes[k] = takes;
  }
}

/* The longest group of consecutive beads from `first` on in one column of cells. In small boxes
   they must also be close together: then one window covers all of them without overlapping itself,
   and no candidate is within reach with two periodic images. */
template <int FILTERED, int OBLIQUE>
DEVICE struct group group_of(const struct list_job &job, int first, int end, int lane,
                             struct warp_memory *w)
{
  struct group g;
  int i = first + lane < end ? first + lane : end - 1, cell[3], origin[3], d[3];
  const int *from = job.position + 3 * (int64_t)i, x[3] = {from[0], from[1], from[2]};
  float in[3];
  for (int k = 0; k < 3; k++) {
    cell[k] = cell_of(x[k], job.cells[k], &in[k]);
    origin[k] = __shfl_sync(ALL_LANES, cell[k], 0);
    d[k] = (int)((unsigned)x[k] - (unsigned)__shfl_sync(ALL_LANES, x[k], 0));
  }
  int belongs = first + lane < end && cell[0] == origin[0] && cell[1] == origin[1] &&
                (lane == 0 || cell[2] - origin[2] <= job.span);
  for (int k = 0; k < 3; k++)
    belongs &= (unsigned)d[k] + job.apart[k] <= 2 * job.apart[k];
  g.first = first;
  g.lane = lane;
  g.n = __ffs((int)~__ballot_sync(ALL_LANES, belongs)) - 1;
  g.column[0] = origin[0];
  g.column[1] = origin[1];
  g.floor = origin[2];
  g.listed = g.partners = 0;
  if (FILTERED) {
    unsigned partners = 0;
    if (lane < g.n) partners = job.partners[job.types[job.type[i]].list_class];
    group_partners(&g, partners, w);
    if (!g.listed) return g;
  }
  float at[3];
  for (int k = 0; k < 3; k++) {
    int inside = lane < g.n ? d[k] : 0;
    if (FILTERED) {
      const int other = __shfl_sync(ALL_LANES, inside, __ffs((int)g.listed) - 1);
      inside = g.listed >> lane & 1u ? inside : other;
    }
    int low = __reduce_min_sync(ALL_LANES, inside), high = __reduce_max_sync(ALL_LANES, inside);
    const float in_first = __shfl_sync(ALL_LANES, in[k], 0);
    g.low[k] = in_first + (float)low * job.cell[k];
    g.high[k] = in_first + (float)high * job.cell[k];
    unsigned extent = (unsigned)(high - low), x0 = (unsigned)__shfl_sync(ALL_LANES, x[k], 0);
    g.centre[k] = (int)((x0 + (unsigned)low + extent / 2) >> COARSE << COARSE);
    g.half[k] = ((float)(extent / 2) + (float)(2 << COARSE)) * job.h[k] * 1.00001f;
    at[k] = coarse(x[k], g.centre[k]);
  }
  if (OBLIQUE) {
    const float half[3] = {g.half[0] / job.h[0], g.half[1] / job.h[1], g.half[2] / job.h[2]};
    g.radius = 0.0f;
    for (int k = 0; k < 4; k++) {
      const float y = k & 1 ? half[1] : -half[1], z = k & 2 ? half[2] : -half[2];
      g.radius = fmaxf(g.radius, coarse2<1>(job, half[0], y, z));
    }
    g.radius = sqrtf(g.radius) * job.h[0] * 1.00001f;
  }
  __syncwarp();
  if (lane < GROUP) w->bead[lane] = make_float4(at[0], at[1], at[2], lane < g.n ? job.r2 : -1.0f);
  __syncwarp();
  return g;
}

#endif
