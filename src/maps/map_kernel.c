/* Maps on the CPU. With a cutoff, the points are divided into tiles of MAP_BLOCK x MAP_BLOCK rows
   along x. A tile gathers the sources of the bins within reach. Each source is added to those rows
   that pass within the cutoff of it (the cylinder around it), from the first to the last point
   inside the cutoff, LANES points at a time. Without a cutoff, every source is added to every row.
   Compiled once a precision and instruction set; KERNEL_NAME is mixed_v1, double_v3 and so on. */
#include "maps/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/torus.h"
#include "maps/map_body.h"

#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)

#ifdef __AVX512F__
enum { LANES = 64 / sizeof(real) };
#else
enum { LANES = 32 / sizeof(real) };
#endif
enum {
  ROW = MAP_ROW,          /* points of a row in a tile */
  ROW_ROOM = ROW + LANES, /* room for the last lanes */
  GROUP = 64              /* sources that a plain sum adds up before it adds them to the rest */
};

/* A source with its scaled amounts. */
struct scaled {
  int32_t x[3];
  real q;
  struct vec3 p;
};

/* Points [first[k], first[k] + n[k]) of the lattice in each direction, and their sums. In z,
   [begin, end) are those of this rank, relative to first[2]. */
struct tile {
  int first[3], n[3], begin, end;
  int32_t at[ROW_ROOM]; /* x */
  int32_t at_y[MAP_BLOCK], at_z[MAP_BLOCK];
  /* lost: what rounding has left out of compensated sums; else the sum of the group that is being
     added up. */
  real sum[MAP_BLOCK][MAP_BLOCK][ROW_ROOM], lost[MAP_BLOCK][MAP_BLOCK][ROW_ROOM];
};

struct walk {
  const struct map_job *job;
  struct map_constants c;
  struct scaled *all;  /* [n]: the sources, in their order */
  struct scaled *near; /* those in reach of the tile */
  int n_near;
  double points; /* along x in a unit of the torus */
  real reach;    /* points along x in a cutoff */
  double period; /* points along x around the torus */
  struct tile *tile;
};

/* Amounts of a source on one row: the square of its distance from the row, and p.d without x. */
struct row_source {
  const struct scaled *s;
  real r2, along;
};

/* Adds a source to `lanes` points of a row. */
HD void lanes_add(int method, int dipoles, int compensated, int lanes,
                  const struct map_constants *c, struct row_source r, const int32_t *at, real *sum,
                  real *lost)
{
  const real h = c->h[0], least = c->least, q = r.s->q, px = r.s->p.x;
  const int32_t x = r.s->x[0];
#pragma omp simd
  for (int l = 0; l < lanes; l++) {
    const real d = map_difference(at[l], x, h);
    const real v = map_value(method, dipoles, real_fma(d, d, r.r2), q,
                             dipoles ? real_fma(px, d, r.along) : R(0), least);
    if (compensated) {
      const struct map_sum before = {sum[l], lost[l]}, after = map_sum_add(before, v, 1);
      sum[l] = after.sum;
      lost[l] = after.lost;
    } else {
      lost[l] += v;
    }
  }
}

/* The rows of a tile around one source: for each y the half length of the part inside the cutoff,
   in points, or less than 0. */
struct rows {
  real r2[MAP_BLOCK], along[MAP_BLOCK], half[MAP_BLOCK];
};

HD void rows_find(const struct walk *w, const struct scaled *s, int z, struct rows *r)
{
  const struct tile *t = w->tile;
  const real dz = map_difference(t->at_z[z], s->x[2], w->c.h[2]);
#pragma omp simd
  for (int y = 0; y < MAP_BLOCK; y++) {
    const real dy = map_difference(t->at_y[y], s->x[1], w->c.h[1]);
    const real r2 = real_fma(dz, dz, dy * dy), left = R(1) - r2;
    r->r2[y] = r2;
    r->along[y] = real_fma(s->p.z, dz, s->p.y * dy);
    /* A margin for rounding: points just outside the cutoff add 0. */
    r->half[y] = left > R(0) ? real_fma(w->reach, real_sqrt(left), R(0.01)) : R(-1);
  }
}

/* Adds a source to the rows of plane z. at: position of the source, in points from the first of the
   tile; of its images, which lie a period apart, some may reach the tile too. Points are not
   visited twice. */
HD void plane_add(int method, int dipoles, int compensated, const struct walk *w,
                  const struct scaled *s, int z, double at)
{
  struct tile *t = w->tile;
  struct rows r;
  rows_find(w, s, z, &r);
  for (int y = 0; y < t->n[1]; y++) {
    const double half = (double)r.half[y];
    const struct row_source row = {s, r.r2[y], r.along[y]};
    real *sum = t->sum[z][y], *lost = t->lost[z][y];
    if (half < 0) continue;
    double centre = at;
    while (centre - w->period + half >= 0)
      centre -= w->period;
    for (int done = 0; centre - half < t->n[0]; centre += w->period) {
      const int end = centre + half < t->n[0] ? (int)floor(centre + half) + 1 : t->n[0];
      int k = centre - half > done ? (int)ceil(centre - half) : done;
      for (; k < end; k += LANES)
        lanes_add(method, dipoles, compensated, LANES, &w->c, row, t->at + k, sum + k, lost + k);
      done = k > done ? k : done;
    }
  }
}

/* The group of plain sums is complete. */
HD void tile_group(struct tile *t)
{
  real *sum = &t->sum[0][0][0], *group = &t->lost[0][0][0];
#pragma omp simd
  for (int k = 0; k < MAP_BLOCK * MAP_BLOCK * ROW_ROOM; k++) {
    sum[k] += group[k];
    group[k] = R(0);
  }
}

HD void tile_add(int method, int dipoles, int compensated, const struct walk *w)
{
  const struct tile *t = w->tile;
  for (int k = 0; k < w->n_near; k++) {
    const struct scaled *s = &w->near[k];
    const double at = (double)(int32_t)((uint32_t)s->x[0] - (uint32_t)t->at[0]) * w->points;
    for (int z = t->begin; z < t->end; z++)
      plane_add(method, dipoles, compensated, w, s, z, at);
    if (!compensated && ((k + 1) % GROUP == 0 || k + 1 == w->n_near)) tile_group(w->tile);
  }
}

/* All sources on the rows of a tile. */
HD void tile_direct(int dipoles, int compensated, const struct walk *w)
{
  struct tile *t = w->tile;
  const int64_t n = w->job->sources->n;
  const int lanes = (t->n[0] + LANES - 1) / LANES * LANES;
  for (int64_t group = 0; group < n; group += GROUP) {
    for (int z = t->begin; z < t->end; z++)
      for (int y = 0; y < t->n[1]; y++)
        for (int64_t k = group; k < group + GROUP && k < n; k++) {
          const struct scaled *s = &w->all[k];
          const real dz = map_difference(t->at_z[z], s->x[2], w->c.h[2]);
          const real dy = map_difference(t->at_y[y], s->x[1], w->c.h[1]);
          const struct row_source row = {s, real_fma(dz, dz, dy * dy),
                                         real_fma(s->p.z, dz, s->p.y * dy)};
          lanes_add(MAP_DIRECT, dipoles, compensated, lanes, &w->c, row, t->at, t->sum[z][y],
                    t->lost[z][y]);
        }
    if (!compensated) tile_group(t);
  }
}

HD void tile_visit(int method, int dipoles, int compensated, const struct walk *w)
{
  if (method == MAP_DIRECT)
    tile_direct(dipoles, compensated, w);
  else
    tile_add(method, dipoles, compensated, w);
}

/* A kernel for each method, with and without dipoles and compensated sums. */
static void tile_run(const struct walk *w)
{
  const struct map_job *job = w->job;
#define VISIT(method_of, dipoles, compensated_of)                                                  \
  if (job->method == (method_of) && job->sources->has_dipoles == (dipoles) &&                      \
      job->compensated == (compensated_of))                                                        \
    tile_visit(method_of, dipoles, compensated_of, w);
#define VISIT_ALL(method_of)                                                                       \
  VISIT(method_of, 0, 0) VISIT(method_of, 0, 1) VISIT(method_of, 1, 0) VISIT(method_of, 1, 1)
  VISIT_ALL(MAP_DIRECT)
  VISIT_ALL(MAP_CUTOFF)
  VISIT_ALL(MAP_FORCE_FIELD)
#undef VISIT_ALL
#undef VISIT
}

/* Bins [first, first + n) of one direction, modulo their number, that a tile can reach. */
struct bin_range {
  int first, n;
};

static struct bin_range bins_near(const struct walk *w, int k)
{
  const struct map_job *job = w->job;
  const struct map_lattice *l = job->lattice;
  const struct tile *t = w->tile;
  const int bins = job->sources->bins[k];
  const double low = torus_fraction(l->at[k][t->first[k]]);
  const double length = (t->n[k] - 1) * l->spacing[k] / job->torus.edge[k];
  const double reach = job->cutoff / job->torus.edge[k] + 1e-9;
  const double first = floor((low - reach) * bins), last = floor((low + length + reach) * bins);
  struct bin_range r = {0, bins};
  if (last - first + 1 >= bins) return r;
  r.n = (int)(last - first) + 1;
  r.first = ((int)first % bins + bins) % bins;
  return r;
}

/* Half the length of the tile in each direction and its middle, on the torus. */
struct middle {
  int32_t at[3];
  double half[3]; /* nm */
};

static struct middle middle_of(const struct walk *w)
{
  const struct map_lattice *l = w->job->lattice;
  const struct tile *t = w->tile;
  struct middle m;
  for (int k = 0; k < 3; k++) {
    const double edge = w->job->torus.edge[k];
    m.half[k] = 0.5 * (t->n[k] - 1) * l->spacing[k];
    const uint32_t half = (uint32_t)(uint64_t)llround(m.half[k] / edge * TORUS_EDGE);
    m.at[k] = (int32_t)((uint32_t)l->at[k][t->first[k]] + half);
  }
  return m;
}

/* 1 if a source may be within the cutoff of a point of the tile. */
static int in_reach(const struct map_job *job, const struct middle *m, const struct scaled *s)
{
  double d2 = 0;
  for (int k = 0; k < 3; k++) {
    const int32_t d = torus_difference(s->x[k], m->at[k]);
    const double outside = fabs((double)d) * (job->torus.edge[k] / TORUS_EDGE) - m->half[k];
    if (outside > 0) d2 += outside * outside;
  }
  return d2 < job->cutoff * job->cutoff * (1 + 1e-6);
}

static void tile_gather(struct walk *w)
{
  const struct map_sources *f = w->job->sources;
  const struct bin_range x = bins_near(w, 0), y = bins_near(w, 1), z = bins_near(w, 2);
  const struct middle m = middle_of(w);
  w->n_near = 0;
  for (int k = 0; k < z.n; k++)
    for (int j = 0; j < y.n; j++) {
      const int64_t row =
          map_sources_row(f, (y.first + j) % f->bins[1], (z.first + k) % f->bins[2]);
      for (int i = 0; i < x.n; i++) {
        const int64_t bin = row + map_sources_at(f, 0, (x.first + i) % f->bins[0]);
        for (int s = f->start[bin]; s < f->start[bin + 1]; s++)
          if (in_reach(w->job, &m, &w->all[s])) w->near[w->n_near++] = w->all[s];
      }
    }
}

/* Coordinates of n points from `first` on; beyond the last, that of the last. */
static void tile_line(const int32_t *at, int first, int n, int32_t *out, int room)
{
  for (int k = 0; k < room; k++)
    out[k] = at[first + (k < n ? k : n - 1)];
}

static void tile_start(struct walk *w, int x, int y, int z)
{
  const struct map_lattice *l = w->job->lattice;
  const int first[3] = {x, y, z}, most[3] = {ROW, MAP_BLOCK, MAP_BLOCK};
  struct tile *t = w->tile;
  for (int k = 0; k < 3; k++) {
    t->first[k] = first[k];
    t->n[k] = l->n[k] - first[k] < most[k] ? l->n[k] - first[k] : most[k];
  }
  t->begin = l->first > z ? l->first - z : 0;
  t->end = l->first + l->count < z + t->n[2] ? l->first + l->count - z : t->n[2];
  tile_line(l->at[0], x, t->n[0], t->at, ROW_ROOM);
  tile_line(l->at[1], y, t->n[1], t->at_y, MAP_BLOCK);
  tile_line(l->at[2], z, t->n[2], t->at_z, MAP_BLOCK);
  memset(t->sum, 0, sizeof t->sum);
  memset(t->lost, 0, sizeof t->lost);
}

static void tile_store(const struct walk *w, real *value)
{
  const struct map_lattice *l = w->job->lattice;
  const struct tile *t = w->tile;
  for (int z = t->begin; z < t->end; z++)
    for (int y = 0; y < t->n[1]; y++) {
      const int64_t plane = t->first[2] + z - l->first, row = plane * l->n[1] + t->first[1] + y;
      memcpy(value + row * l->n[0] + t->first[0], t->sum[z][y], (size_t)t->n[0] * sizeof *value);
    }
}

static struct walk walk_create(const struct map_job *job)
{
  const struct map_sources *f = job->sources;
  struct walk w = {.job = job, .c = map_constants_of(job)};
  w.points = job->torus.edge[0] / TORUS_EDGE / job->lattice->spacing[0];
  w.period = job->torus.edge[0] / job->lattice->spacing[0];
  w.reach = R(job->cutoff / job->lattice->spacing[0]);
  w.tile = alloc_array(1, sizeof *w.tile);
  w.all = alloc_array(f->n, sizeof *w.all);
  if (job->method != MAP_DIRECT) w.near = alloc_array(f->n, sizeof *w.near);
  for (int64_t k = 0; k < f->n; k++) {
    const struct map_amount a = map_amount_of(&f->source[k], w.c);
    memcpy(w.all[k].x, f->source[k].x, sizeof w.all[k].x);
    w.all[k].q = a.q;
    w.all[k].p = a.p;
  }
  return w;
}

static void walk_free(struct walk *w)
{
  free(w->tile);
  free(w->all);
  free(w->near);
}

extern map_kernel_function NAME(map_kernel_, KERNEL_NAME);
void NAME(map_kernel_, KERNEL_NAME)(const struct map_job *job, void *value)
{
  const struct map_lattice *l = job->lattice;
  if (l->count == 0) return;
  struct walk w = walk_create(job);
  for (int z = l->first / MAP_BLOCK * MAP_BLOCK; z < l->first + l->count; z += MAP_BLOCK)
    for (int y = 0; y < l->n[1]; y += MAP_BLOCK)
      for (int x = 0; x < l->n[0]; x += ROW) {
        tile_start(&w, x, y, z);
        if (job->method != MAP_DIRECT) tile_gather(&w);
        tile_run(&w);
        tile_store(&w, value);
      }
  walk_free(&w);
}
