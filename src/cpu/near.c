#include "cpu/near.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/torus.h"
#include "cpu/cells_reach.h"

/* Columns and cells are selected in single precision, and beads tested in double: with this margin
   no bead is left out by rounding. */
static const double margin = 1.000001;

struct search {
  const struct cells *cells;
  double least, radius;
  double unit[3]; /* nm a unit of a position */
  struct reach_room room;
  int *bead, n;
};

static void run_test(struct search *s, struct cell_run run, const int32_t point[3])
{
  const struct cells *c = s->cells;
  const double least2 = s->least * s->least, most2 = s->radius * s->radius;
  int n = s->n;
  for (int k = run.begin; k < run.end; k++) {
    const int32_t x[3] = {c->x[k], c->y[k], c->z[k]};
    const double d2 = torus_distance2(x, point, s->unit);
    s->bead[n] = c->order[k]; /* without a branch, which would often be mispredicted */
    n += (d2 >= least2) & (d2 < most2);
  }
  s->n = n;
}

static void point_search(struct search *s, const int32_t point[3])
{
  const double radius = s->radius * margin;
  struct points one;
  memcpy(one.low, point, sizeof one.low);
  memcpy(one.high, point, sizeof one.high);
  const int runs = runs_near(s->cells, &one, radius, (float)(radius * radius), &s->room);
  s->n = 0;
  for (int k = 0; k < runs; k++)
    run_test(s, s->room.run[k], point);
}

void search_near(const struct cells *c, double least, double radius, int64_t n_points,
                 const int32_t *point, near_function *found, void *context)
{
  struct search s = {.cells = c, .least = least, .radius = radius};
  torus_units(c->grid.box, s.unit);
  s.room = reach_room_make(&c->grid, radius * margin);
  s.bead = alloc_array(c->n + 1LL, sizeof *s.bead);
  for (int64_t k = 0; k < n_points; k++) {
    point_search(&s, point + 3 * k);
    found(context, k, s.n, s.bead);
  }
  reach_room_free(&s.room);
  free(s.bead);
}
