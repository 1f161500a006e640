#include "observe/neighbours.h"

#include <math.h>

#include "observe/bilayer.h"
#include "observe/cell_sort.h"

/* Counts the partners of a lipid in a cell. */
static void count_cell(const struct neighbours *s, const struct cell_sort *c, int64_t cell,
                       const struct neighbour *of, int64_t *count)
{
  const struct neighbour *lipid = c->record;
  for (int64_t j = c->start[cell]; j < c->start[cell + 1]; j++) {
    const struct neighbour *e = &lipid[j];
    const double x = observe_difference(e->x[0], of->x[0], s->box[0]);
    const double y = observe_difference(e->x[1], of->x[1], s->box[1]);
    if (e->index > of->index && x * x + y * y <= s->range * s->range)
      count[(int64_t)of->type * s->types + e->type]++;
  }
}

void neighbours_count(const struct neighbours *s, int64_t *count)
{
  const double most = floor(sqrt((double)s->all));
  struct cell_sort c = {
      .n = {cells_along(s->box[0], s->range, most), cells_along(s->box[1], s->range, most), 2}};
  int64_t cell[CELLS_NEAR];
  cell_sort_create(&c, s->lipid, sizeof *s->lipid, s->all);
  for (int64_t k = s->first; k < s->first + s->n; k++)
    for (int j = cells_near(&c, s->lipid[k].x, cell); j > 0; j--)
      count_cell(s, &c, cell[j - 1], &s->lipid[k], count);
  cell_sort_destroy(&c);
}
