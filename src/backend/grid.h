/* The grid of cells over the whole box, on host and device, the same on all ranks. The numbers of
   cells follow from the box, the list radius and the columns that the backend asks for. */
#ifndef GRID_H
#define GRID_H

#include <math.h>
#include <stdint.h>

#include "base/box.h"
#include "base/hd.h"
#include "base/minmax.h"

struct grid {
  int n[3];
  double box[BOX], radius; /* nm; lists hold every pair closer than radius */
};

enum { CELLS_PER_RADIUS = 6, EDGE_CELLS_MOST = 1 << 20 };

/* Divides a box (nm) into cells. Along x and y there are `columns` cells in a list radius (nm),
   along z six. */
static inline void grid_set(struct grid *g, const double box[BOX], double radius, int columns)
{
  for (int k = 0; k < 3; k++) {
    double n = floor(box_height(box, k) / radius * (k < 2 ? columns : (int)CELLS_PER_RADIUS));
    g->n[k] = n < 1 ? 1 : n > EDGE_CELLS_MOST ? (int)EDGE_CELLS_MOST : (int)n;
  }
  memcpy(g->box, box, sizeof g->box);
  g->radius = radius;
}

/* Beads of all ranks per cube of the list radius from which columns of cells are half a radius
   wide, not a whole one: ELBA has about 85, an LJ liquid with a cutoff of 2.5 sigma 20. The beads
   of a warp are above each other in a column: with fewer, their bounding box is too high. The limit
   between the two was not measured. */
enum { NARROW_COLUMNS_LEAST = 40 };

static inline int64_t grid_cells(const struct grid *g)
{
  return (int64_t)g->n[0] * g->n[1] * g->n[2];
}

/* Columns of cells per list radius. The beads of a warp come from one column: if beads are few,
   those of a narrow column are spread over too large a height. */
static inline int grid_columns(const double box[BOX], double radius, int64_t n_total)
{
  const double cubes = box[0] * box[1] * box[2] / (radius * radius * radius);
  return (double)n_total < NARROW_COLUMNS_LEAST * cubes ? 1 : 2;
}

/* Upper limit for the number of cells, so that memory is bounded by the number of beads. Only a
   nearly empty box would have more. */
static inline int64_t grid_most(int64_t n_total)
{
  const int64_t most = (INT64_C(1) << 16) + 16 * n_total, all = INT64_C(1) << 30;
  return most < all ? most : all;
}

/* The axis with the smallest cells among those with more than one cell. */
static inline int grid_finest(const struct grid *g)
{
  int finest = 0;
  for (int k = 1; k < 3; k++)
    if (g->n[k] > 1 && (g->n[finest] == 1 || box_height(g->box, k) / g->n[k] <
                                                 box_height(g->box, finest) / g->n[finest]))
      finest = k;
  return finest;
}

/* The grid depends on the box, the list radius and the number of all beads only, so that lists are
   the same on any number of ranks. Returns 1 if cells are wider than grid_set makes them. */
static inline int grid_fit(struct grid *g, const double box[BOX], double radius, int64_t n_total)
{
  int coarse = 0;
  grid_set(g, box, radius, grid_columns(box, radius, n_total));
  for (; grid_cells(g) > grid_most(n_total); coarse = 1) {
    const int k = grid_finest(g);
    g->n[k] = (g->n[k] + 1) / 2;
  }
  return coarse;
}

/* A search in an oblique box, in cells (u, v, w) along its vectors: the square of a distance is
   ((w + tilt[0] u + tilt[1] v) / per)^2 + flat[0] u^2 + 2 flat[1] u v + flat[2] v^2, nm2. So a
   column of cells at (u, v) has beads within a radius only around w = -(tilt[0] u + tilt[1] v). */
struct grid_metric {
  float flat[3], tilt[2], per;
};

static inline struct grid_metric grid_metric_of(const struct grid *g)
{
  const double *b = g->box, c2 = b[4] * b[4] + b[5] * b[5] + b[2] * b[2];
  const double ac = b[0] * b[4], bc = b[3] * b[4] + b[1] * b[5];
  const double nx = g->n[0], ny = g->n[1], nz = g->n[2];
  struct grid_metric m;
  m.flat[0] = (float)((b[0] * b[0] - ac * ac / c2) / (nx * nx));
  m.flat[1] = (float)((b[0] * b[3] - ac * bc / c2) / (nx * ny));
  m.flat[2] = (float)((b[3] * b[3] + b[1] * b[1] - bc * bc / c2) / (ny * ny));
  m.tilt[0] = (float)(ac / c2 * nz / nx);
  m.tilt[1] = (float)(bc / c2 * nz / ny);
  m.per = (float)(nz / sqrt(c2));
  return m;
}

/* x, moved into a range. */
HD float grid_clamped(float x, const float range[2])
{
  return float_min(float_max(x, range[0]), range[1]);
}

HD float grid_flat_at(const struct grid_metric *m, float u, float v)
{
  return m->flat[0] * u * u + 2 * m->flat[1] * u * v + m->flat[2] * v * v;
}

/* The least value of the form `flat` in the rectangle from u[0] to u[1] and v[0] to v[1]. The form
   is convex with its minimum at 0, so the least value is there, or on an edge that faces 0. */
HD float grid_flat2(const struct grid_metric *m, const float u[2], const float v[2])
{
  const float x = grid_clamped(0, u), y = grid_clamped(0, v);
  return float_min(grid_flat_at(m, x, grid_clamped(-m->flat[1] * x / m->flat[2], v)),
                   grid_flat_at(m, grid_clamped(-m->flat[1] * y / m->flat[0], u), y));
}

/* The cells of a column within a distance of points at 0, from `below` under them to `above`; wider
   by more than rounding errors. u, v: the extent of the column. r2: nm2. 0 if there are none. */
HD int grid_window(const struct grid_metric *m, const float u[2], const float v[2], float r2,
                   float *below, float *above)
{
  const float left = r2 - grid_flat2(m, u, v) * 0.9999f;
  if (!(left > 0)) return 0;
  const float reach = sqrtf(left) * m->per * 1.0001f + 0.001f;
  const float x0 = m->tilt[0] * u[0], x1 = m->tilt[0] * u[1], y0 = m->tilt[1] * v[0],
              y1 = m->tilt[1] * v[1];
  *below = reach + float_max(x0, x1) + float_max(y0, y1);
  *above = reach - float_min(x0, x1) - float_min(y0, y1);
  return 1;
}

/* The index of the cell of a coordinate x (2^-32 of the edge) along an axis of n cells. */
HD int cells_place(int32_t x, int n)
{
  return (int)((uint64_t)(uint32_t)x * (uint64_t)n >> 32);
}

#endif
