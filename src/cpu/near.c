#include "cpu/near.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/torus.h"
#include "cpu/cells_reach.h"

/* Columns and cells are selected in single precision, and beads tested in double: with this margin
   no bead is left out by rounding. */
static const double margin = 1.000001;

struct search {
  const struct cells *cells;
  double radius;
  double unit[3]; /* nm a unit of a position */
  struct reach *x, *y;
  int *bead, n;
};

static void run_test(struct search *s, struct cell_run run, const int32_t point[3])
{
  const struct cells *c = s->cells;
  for (int k = run.begin; k < run.end; k++) {
    const int32_t x[3] = {c->x[k], c->y[k], c->z[k]};
    if (torus_distance2(x, point, s->unit) < s->radius * s->radius) s->bead[s->n++] = c->order[k];
  }
}

static void point_search(struct search *s, const int32_t point[3])
{
  const struct grid *g = &s->cells->grid;
  const double radius = s->radius * margin, per = g->n[2] / g->box[2],
               at = torus_fraction(point[2]) * g->n[2];
  const int nx = columns_near(point[0], g->n[0], g->box[0], radius, s->x),
            ny = columns_near(point[1], g->n[1], g->box[1], radius, s->y);
  s->n = 0;
  for (int a = 0; a < nx; a++)
    for (int b = 0; b < ny; b++) {
      const double left2 = radius * radius - ((double)s->x[a].d2 + (double)s->y[b].d2);
      if (left2 <= 0) continue;
      const double reach = sqrt(left2) * per * margin;
      const struct cell_column in = cells_column(s->cells, s->x[a].column, s->y[b].column);
      struct cell_run run[2];
      const int runs =
          column_runs(s->cells, &in, (int)floor(at - reach), (int)floor(at + reach), run);
      for (int k = 0; k < runs; k++)
        run_test(s, run[k], point);
    }
}

void search_near(const struct cells *c, double radius, int64_t n_points, const int32_t *point,
                 near_function *found, void *context)
{
  struct search s = {.cells = c, .radius = radius};
  torus_units(c->grid.box, s.unit);
  s.x = alloc_array(columns_most(&c->grid, 0, radius * margin), sizeof *s.x);
  s.y = alloc_array(columns_most(&c->grid, 1, radius * margin), sizeof *s.y);
  s.bead = alloc_array(c->n, sizeof *s.bead);
  for (int64_t k = 0; k < n_points; k++) {
    point_search(&s, point + 3 * k);
    found(context, k, s.n, s.bead);
  }
  free(s.x);
  free(s.y);
  free(s.bead);
}
