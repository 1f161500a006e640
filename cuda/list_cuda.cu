/* Neighbour lists, a warp a bead. Of each column within the list radius it takes only the cells
   that the bead can reach, and tests their beads as one run of candidates. The order (relative
   column, then cell from the bottom of the z window, then id) and the tests depend on build
   positions alone, so a bead has the same list on any number of ranks. */
#include "device_cuda.cuh"

#include <math.h>

enum {
  WARPS = 4,
  CANDIDATES = 512, /* expanded at a time, a warp */
  HITS = 256,       /* written at a time; a multiple of 4 lanes */
  PARTNERS = 32     /* exclusions kept in registers */
};
#define ALL_LANES 0xffffffffu

/* Columns along x or y that a bead may reach: n of them from the relative column low. */
struct reach {
  int low, n;
};

struct list_job {
  int n_places, placed, lanes, most_rows;
  const int *place;
  int *rows;
  int4 *index;
  const struct bead_record *sorted;
  const int32_t *position;
  const int *start;
  int cells[3];
  struct reach reach[2];
  float width[3], h[3], r2max; /* of a cell; box / 2^32; nm */
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
  int candidate[CANDIDATES];
  int hit[HITS + 32];
};

/* The bead that a warp works for; the same in all lanes. */
struct seeker {
  int i, place, lane;
  int x[3];
  int held, row;            /* hits not yet written, rows that are */
  int excluded, partner;    /* their number; of lane k the k-th */
  const int64_t *exclusion; /* as differences of ids */
  int64_t id;
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

/* Distance along an axis, in cells, from a fraction of cell 0 to cell k, or to its image. */
static __device__ __forceinline__ float cell_distance(int k, int n, float fraction)
{
  float d = (float)k - fraction, other = k < 0 ? d + (float)n : d - (float)n;
  float a = fmaxf(fmaxf(d, -(d + 1.0f)), 0.0f), b = fmaxf(fmaxf(other, -(other + 1.0f)), 0.0f);
  return fminf(a, b);
}

/* What lies within reach of the bead in the c-th column around it. Distances are taken short by
   more than their rounding: the tests of pairs decide. */
static __device__ __forceinline__ struct runs column_runs(const struct list_job &job,
                                                          const struct seeker &s, int c)
{
  struct runs r = {{0, 0}, {0, 0}};
  float fx, fy, fz;
  int a = job.reach[0].low + c / job.reach[1].n, b = job.reach[1].low + c % job.reach[1].n;
  int nx = job.cells[0], ny = job.cells[1], nz = job.cells[2];
  int cx = cell_of(s.x[0], nx, &fx), cy = cell_of(s.x[1], ny, &fy), cz = cell_of(s.x[2], nz, &fz);
  float dx = cell_distance(a, nx, fx) * job.width[0], dy = cell_distance(b, ny, fy) * job.width[1];
  float left = job.r2max - (dx * dx + dy * dy) * 0.99999f;
  if (!(left > 0.0f)) return r;
  cx = cx + a < 0 ? cx + a + nx : cx + a >= nx ? cx + a - nx : cx + a;
  cy = cy + b < 0 ? cy + b + ny : cy + b >= ny ? cy + b - ny : cy + b;
  const int *start = job.start + ((int64_t)cx * ny + cy) * nz;
  float reach = sqrtf(left) / job.width[2] * 1.00001f + 0.00001f;
  int low = cz + (int)floorf(fz - reach), high = cz + (int)floorf(fz + reach);
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

static __device__ __forceinline__ int partner_at(const struct list_job &job, const struct seeker &s,
                                                 int k)
{
  int64_t id = s.id + s.exclusion[k];
  return id >= 1 && id <= job.n_total ? job.local[id] : -1;
}

static __device__ __forceinline__ struct seeker seeker_of(const struct list_job &job, int place,
                                                          int i, int lane)
{
  struct seeker s;
  s.i = i;
  s.place = place;
  s.lane = lane;
  for (int k = 0; k < 3; k++)
    s.x[k] = job.position[3 * (int64_t)i + k];
  s.held = s.row = s.excluded = 0;
  s.partner = -1;
  s.exclusion = NULL;
  s.id = job.id[i];
  int slot = job.local ? job.slot[i] : -1;
  if (slot >= 0) {
    s.exclusion = job.exclude + job.exclude_start[slot];
    s.excluded = job.exclude_start[slot + 1] - job.exclude_start[slot];
    if (lane < s.excluded) s.partner = partner_at(job, s, lane);
  }
  return s;
}

/* Whether bead j is left out; every lane calls it. */
static __device__ __forceinline__ int is_excluded(const struct list_job &job,
                                                  const struct seeker &s, int j)
{
  int found = 0;
  for (int k = 0; k < s.excluded && k < PARTNERS; k++)
    found |= __shfl_sync(ALL_LANES, s.partner, k) == j;
  for (int k = PARTNERS; k < s.excluded; k++)
    found |= partner_at(job, s, k) == j;
  return found;
}

/* The first n hits, a multiple of 4 lanes, as whole rows. */
static __device__ __forceinline__ void
rows_write(const struct list_job &job, const struct warp_memory &w, struct seeker *s, int n)
{
  int lanes = job.lanes, beads = 32 / lanes, in_row = 4 * lanes;
  int64_t base = (int64_t)(s->place / beads) * job.most_rows;
  __syncwarp();
  for (int v = s->lane; v < n / 4; v += 32) {
    int row = v / lanes, lane = v % lanes;
    const int *from = w.hit + row * in_row + lane;
    if (s->row + row >= job.most_rows) continue;
    job.index[(base + s->row + row) * 32 + (s->place % beads) * lanes + lane] =
        make_int4(from[0], from[lanes], from[2 * lanes], from[3 * lanes]);
  }
  s->row += n / in_row;
  __syncwarp();
}

/* Notes which lanes have a hit, and writes when there are enough. */
static __device__ __forceinline__ void hits_add(const struct list_job &job, struct warp_memory *w,
                                                struct seeker *s, int hit, int j)
{
  unsigned mask = __ballot_sync(ALL_LANES, hit);
  if (hit) w->hit[s->held + __popc(mask & ((1u << s->lane) - 1u))] = j;
  s->held += __popc(mask);
  if (s->held < HITS) return;
  rows_write(job, *w, s, HITS);
  int left = s->held - HITS;
  int moved = s->lane < left ? w->hit[HITS + s->lane] : 0;
  __syncwarp();
  if (s->lane < left) w->hit[s->lane] = moved;
  s->held = left;
}

static __device__ void fault_point(const struct list_job &job, const struct seeker &s, int j)
{
  struct cuda_fault *f = &job.report->point;
  if (!fault_take(f)) return;
  f->bead = s.id;
  f->other = job.id[j];
  for (int k = 0; k < 3; k++)
    f->value[k] = (double)(uint32_t)s.x[k] / 4294967296.0;
}

/* Tests n expanded candidates. */
static __device__ __forceinline__ void
candidates_test(const struct list_job &job, struct warp_memory *w, struct seeker *s, int n)
{
  for (int k = s->lane; k - s->lane < n; k += 32) {
    int hit = k < n;
    int4 q = ((const int4 *)job.sorted)[w->candidate[hit ? k : 0]];
    int ix = (int)((unsigned)q.x - (unsigned)s->x[0]),
        iy = (int)((unsigned)q.y - (unsigned)s->x[1]),
        iz = (int)((unsigned)q.z - (unsigned)s->x[2]);
    float dx = (float)ix * job.h[0], dy = (float)iy * job.h[1], dz = (float)iz * job.h[2];
    hit = hit && dx * dx + dy * dy + dz * dz < job.r2max && q.w != s->i;
    if (hit && (ix | iy | iz) == 0) fault_point(job, *s, q.w);
    if (s->excluded) hit = hit & !is_excluded(job, *s, q.w);
    hits_add(job, w, s, hit, q.w);
  }
}

/* The candidates of up to 32 columns, a column a lane. */
static __device__ __forceinline__ void columns_test(const struct list_job &job,
                                                    struct warp_memory *w, struct seeker *s,
                                                    const struct runs &r)
{
  int length = r.length[0] + r.length[1], end = length;
  for (int d = 1; d < 32; d *= 2) {
    int below = __shfl_up_sync(ALL_LANES, end, d);
    if (s->lane >= d) end += below;
  }
  int all = __shfl_sync(ALL_LANES, end, 31), begin = end - length;
  for (int from = 0; from < all; from += CANDIDATES) {
    int to = from + CANDIDATES < all ? from + CANDIDATES : all;
    __syncwarp();
    for (int k = begin > from ? begin : from; k < end && k < to; k++) {
      int in = k - begin;
      w->candidate[k - from] = in < r.length[0] ? r.begin[0] + in : r.begin[1] + (in - r.length[0]);
    }
    __syncwarp();
    candidates_test(job, w, s, to - from);
  }
}

static __device__ __forceinline__ void row_end(const struct list_job &job, struct warp_memory *w,
                                               struct seeker *s)
{
  int in_row = 4 * job.lanes, padded = (s->held + in_row - 1) / in_row * in_row;
  for (int k = s->held + s->lane; k < padded; k += 32)
    w->hit[k] = s->i;
  rows_write(job, *w, s, padded);
  if (s->lane == 0) job.rows[s->place] = s->row;
}

static __global__
    __launch_bounds__(32 * WARPS) void lists_fill(const __grid_constant__ struct list_job job)
{
  __shared__ struct warp_memory memory[WARPS];
  struct warp_memory *w = &memory[threadIdx.x / 32];
  int lane = (int)(threadIdx.x % 32), place = (int)(thread_index() / 32);
  if (place >= job.n_places) return;
  int i = job.placed ? job.place[place] : place;
  if (i < 0) {
    if (lane == 0) job.rows[place] = 0;
    return;
  }
  struct seeker s = seeker_of(job, place, i, lane);
  int columns = job.reach[0].n * job.reach[1].n;
  for (int c = lane; c - lane < columns; c += 32) {
    struct runs r = {{0, 0}, {0, 0}};
    if (c < columns) r = column_runs(job, s, c);
    columns_test(job, w, &s, r);
  }
  __syncwarp();
  row_end(job, w, &s);
}

static __global__ void lists_measure(int n_places, int lanes, const int *rows,
                                     struct cuda_report *report)
{
  int64_t p = thread_index();
  int mine = p < n_places ? rows[p] : 0;
  int most = __reduce_max_sync(ALL_LANES, mine);
  if (threadIdx.x % 32 == 0 && most > 0) atomicMax(&report->most_rows, most);
  block_add((int64_t)mine * 4 * lanes, &report->listed);
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
  j.n_places = c->list.n_places;
  j.placed = c->list.placed;
  j.lanes = c->list.lanes;
  j.most_rows = c->list.most_rows;
  j.place = c->list.place;
  j.rows = c->list.rows;
  j.index = (int4 *)c->list.index;
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
  return (int)(fmin(n * 1.25, 1e6) / (4 * c->list.lanes)) + 2;
}

void cuda_list_build(struct gpu *c)
{
  int64_t groups = launch_blocks(c->list.n_places, 32 / c->list.lanes);
  if (c->list.most_rows == 0) c->list.most_rows = rows_guess(c);
  int64_t bytes = groups * c->list.most_rows * 32 * (int64_t)sizeof(int4);
  if (bytes > c->list.index_bytes)
    cuda_grow(c, (void **)&c->list.index, &c->list.index_bytes,
              c->list.index_bytes ? bytes + bytes / 8 : bytes, 0, "neighbour lists");
  LAUNCH(lists_fill, (int64_t)c->list.n_places * 32, 32 * WARPS, c, job_of(c));
  LAUNCH(lists_measure, c->list.n_places, THREADS, c, c->list.n_places, c->list.lanes, c->list.rows,
         c->report);
}
