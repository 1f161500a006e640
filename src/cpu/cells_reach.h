/* The sorted beads that may be within a radius of a point, or of one of a few points in one column,
   as runs of the sorted arrays: by column relative to their column, then by cell from the bottom of
   the window along z. This is the order of neighbour lists, and the same on any number of ranks. */
#ifndef CELLS_REACH_H
#define CELLS_REACH_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/minmax.h"
#include "base/torus.h"
#include "cpu/cells.h"

/* Points in one column of cells: the lowest and the highest of their coordinates. For one point
   both are the same. */
struct points {
  int32_t low[3], high[3];
};

/* A column index along an axis, and the square of its distance from the points, nm2. In an oblique
   box, where that depends on both axes: from where to where it is away, in cells, or `all` where
   the columns go around the box. */
struct reach {
  int column;
  float d2;
  float away[2];
  int all;
};

/* Beads [begin, end) of the sorted arrays. */
struct cell_run {
  int begin, end;
};

static inline int columns_each_side(int n, double box, double radius)
{
  return (int)(radius / (box / n)) + 1;
}

/* The largest number of columns that columns_near can return. */
static inline int columns_most(const struct grid *g, int axis, double radius)
{
  return 2 * columns_each_side(g->n[axis], box_height(g->box, axis), radius) + 3;
}

/* Finds the columns along an axis within the radius of coordinates x_low to x_high, which are in
   one column, in the order of relative column. Returns their number. If the window is wider than
   the grid, each column is returned once. */
static inline int columns_near(int32_t x_low, int32_t x_high, int n, double box, double radius,
                               struct reach *out)
{
  const double width = box / n, at = torus_fraction(x_low) * n,
               at_high = torus_fraction(x_high) * n;
  const int own = cells_place(x_low, n), side = columns_each_side(n, box, radius);
  int low = -side, high = side, count = 0;
  if (2 * side + 1 > n) {
    low = -(n / 2);
    high = low + n - 1;
  }
  for (int k = low; k <= high; k++) {
    const int column = own + k;
    const double d = column - at_high, below = at - (column + 1);
    const double image = k < 0 ? n : -n, other = d + image, other_below = below - image;
    const double a = double_max(double_max(d, below), 0),
                 b = double_max(double_max(other, other_below), 0);
    const double near = double_min(a, b) * width;
    if (near >= radius) continue;
    out[count].column = column < 0 ? column + n : column < n ? column : column - n;
    out[count].away[0] = (float)d;
    out[count].away[1] = (float)-below;
    out[count].all = 2 * side + 1 > n;
    out[count++].d2 = (float)(near * near);
  }
  return count;
}

/* Finds the beads of a column in cells low ... high, or all, which may cross one face of the box;
   each bead once. Returns the number of runs, 0 to 2. */
static inline int column_runs(const struct cells *c, const struct cell_column *in, int whole,
                              int low, int high, struct cell_run run[2])
{
  const int nz = c->grid.n[2];
  const struct cell_run all = {in->begin, in->end};
  int n = 0;
  run[0] = all;
  if (in->begin == in->end) return 0;
  if (whole || high - low + 1 >= nz) return 1;
  if (low < 0) run[n++].begin = cells_first(c, in, low + nz);
  run[n] = all;
  if (low >= 0) run[n].begin = cells_first(c, in, low);
  if (high < nz - 1) run[n].end = cells_first(c, in, high + 1);
  n++;
  if (high < nz) return n;
  run[n] = all;
  run[n++].end = cells_first(c, in, high - nz + 1);
  return n;
}

/* Room for the search around a point. */
struct reach_room {
  struct reach *x, *y;
  struct cell_run *run;
  int oblique, whole;        /* whole: 1 reads all columns from the bottom of the box on */
  struct grid_metric metric; /* of an oblique box */
};

static inline struct reach_room reach_room_make(const struct grid *g, double radius)
{
  const int nx = columns_most(g, 0, radius), ny = columns_most(g, 1, radius);
  struct reach_room room = {.x = alloc_array(nx, sizeof *room.x),
                            .y = alloc_array(ny, sizeof *room.y),
                            .run = alloc_array(2LL * nx * ny + 1, sizeof *room.run),
                            .oblique = box_is_oblique(g->box),
                            .metric = grid_metric_of(g)};
  return room;
}

static inline void reach_room_free(struct reach_room *room)
{
  free(room->x);
  free(room->y);
  free(room->run);
}

/* The window along z of a column, in cells: from `below` under the points to `above`. 0 if the
   column has no bead within the radius. most: the radius. */
static inline int column_window(const struct reach_room *room, const struct reach *x,
                                const struct reach *y, float r2max, double per, double most,
                                double *below, double *above)
{
  float low, high;
  *below = *above = most;
  if (!room->oblique) {
    const float d2 = x->d2 + y->d2;
    *below = *above = sqrt((double)(r2max - d2)) * per * 1.000001;
    return d2 < r2max;
  }
  if (x->all || y->all) return 1;
  if (!grid_window(&room->metric, x->away, y->away, r2max, &low, &high)) return 0;
  *below = double_min(most, (double)low);
  *above = double_min(most, (double)high);
  return 1;
}

/* Finds the runs, none of them empty, that have all beads within a radius (nm) of the points, and
   some others. r2max: its square, with a margin for rounding. Returns the number of runs; -1 for
   several points whose window has the height of the box: the order of a window then depends on the
   point. */
static inline int runs_near(const struct cells *c, const struct points *p, double radius,
                            float r2max, const struct reach_room *room)
{
  const struct grid *g = &c->grid;
  const double per = g->n[2] / g->box[2], at = torus_fraction(p->low[2]) * g->n[2],
               at_high = torus_fraction(p->high[2]) * g->n[2];
  const double most = sqrt((double)r2max) * per * 1.000001;
  const int several = memcmp(p->low, p->high, sizeof p->low) != 0;
  if (several && at_high - at + 2 * radius * per + 2 >= g->n[2]) return -1;
  const int nx =
      columns_near(p->low[0], p->high[0], g->n[0], box_height(g->box, 0), radius, room->x);
  const int ny =
      columns_near(p->low[1], p->high[1], g->n[1], box_height(g->box, 1), radius, room->y);
  int n = 0;
  for (int a = 0; a < nx; a++)
    for (int b = 0; b < ny; b++) {
      double below, above;
      if (!column_window(room, &room->x[a], &room->y[b], r2max, per, most, &below, &above))
        continue;
      const struct cell_column in = cells_column(c, room->x[a].column, room->y[b].column);
      if (in.begin == in.end) continue;
      struct cell_run *run = room->run + n;
      const int first = (int)floor(at - below), last = (int)floor(at_high + above);
      const int image = first >= g->n[2] ? -g->n[2] : last < 0 ? g->n[2] : 0;
      const int runs = column_runs(c, &in, room->whole, first + image, last + image, run);
      for (int k = 0; k < runs; k++)
        if (run[k].begin < run[k].end) room->run[n++] = run[k];
    }
  return n;
}

#endif
