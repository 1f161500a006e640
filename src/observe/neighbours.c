#include "observe/neighbours.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "observe/bilayer.h"

/* Cells at least as wide as the range, and the lipids in their order: start[2][x][y]. */
struct cells {
  int n[2];     /* along x and y */
  int reach[2]; /* neighbouring cells to look into at each side; 0: there is one cell */
  int64_t *start;
  struct entry *entry; /* [n] */
};

struct entry {
  uint32_t head[2];
  int kind;
  int64_t index;
};

/* With less than three cells along an edge, both neighbours of a cell would be the same one: then
   there is one cell. No more cells than lipids. */
static int cells_along(double edge, double range, int64_t n)
{
  const double fit = floor(edge / (range * (1 + 1e-6))), most = floor(sqrt((double)n));
  const double cells = fit < most ? fit : most;
  return cells < 3 ? 1 : (int)cells;
}

static int64_t cell_of(const struct cells *c, int leaflet, const uint32_t *head)
{
  const uint64_t x = (uint64_t)head[0] * (uint64_t)c->n[0] >> 32;
  const uint64_t y = (uint64_t)head[1] * (uint64_t)c->n[1] >> 32;
  return ((int64_t)leaflet * c->n[0] + (int64_t)x) * c->n[1] + (int64_t)y;
}

static void cells_create(struct cells *c, const struct neighbours *s)
{
  for (int d = 0; d < 2; d++) {
    c->n[d] = cells_along(s->box[d], s->range, s->n);
    c->reach[d] = c->n[d] > 1;
  }
  const int64_t cells = (int64_t)2 * c->n[0] * c->n[1];
  c->start = alloc_array(cells + 2, sizeof *c->start);
  c->entry = alloc_array(s->n, sizeof *c->entry);
  /* start[k + 2] counts cell k, then start[k + 1] is where its next lipid goes. */
  for (int64_t k = 0; k < s->n; k++)
    c->start[cell_of(c, s->leaflet[k], s->head[k]) + 2]++;
  for (int64_t k = 2; k < cells + 2; k++)
    c->start[k] += c->start[k - 1];
  for (int64_t k = 0; k < s->n; k++) {
    struct entry *e = &c->entry[c->start[cell_of(c, s->leaflet[k], s->head[k]) + 1]++];
    e->head[0] = s->head[k][0];
    e->head[1] = s->head[k][1];
    e->kind = s->kind[k];
    e->index = k;
  }
}

/* Adds the partners of a lipid in a cell to count[kinds]. */
static void count_cell(const struct neighbours *s, const struct cells *c, const struct entry *of,
                       int64_t cell, int64_t *count)
{
  const double range2 = s->range * s->range;
  for (int64_t j = c->start[cell]; j < c->start[cell + 1]; j++) {
    const struct entry *e = &c->entry[j];
    const double x = observe_difference(e->head[0], of->head[0], s->box[0]);
    const double y = observe_difference(e->head[1], of->head[1], s->box[1]);
    if (e->index > of->index && x * x + y * y <= range2) count[e->kind]++;
  }
}

void neighbours_count(const struct neighbours *s, int64_t first, int64_t end, int64_t *count)
{
  struct cells c;
  cells_create(&c, s);
  /* In the order of cells, so that the lipids nearby are still in the cache. */
  for (int64_t k = 0; k < s->n; k++) {
    const struct entry *of = &c.entry[k];
    if (of->index < first || of->index >= end) continue;
    const int leaflet = s->leaflet[of->index];
    const int64_t cell = cell_of(&c, 0, of->head);
    const int x = (int)(cell / c.n[1]), y = (int)(cell % c.n[1]);
    for (int i = -c.reach[0]; i <= c.reach[0]; i++)
      for (int j = -c.reach[1]; j <= c.reach[1]; j++) {
        const int64_t row = (int64_t)leaflet * c.n[0] + (x + i + c.n[0]) % c.n[0];
        count_cell(s, &c, of, row * c.n[1] + (y + j + c.n[1]) % c.n[1],
                   count + (int64_t)of->kind * s->kinds);
      }
  }
  free(c.start);
  free(c.entry);
}
