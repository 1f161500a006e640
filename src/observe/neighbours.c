#include "observe/neighbours.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "observe/bilayer.h"

/* Cells at least as wide as the range. A strip is a row of columns of cells along x, and each rank
   has one. */
struct cells {
  int n[2];     /* along x and y */
  int reach[2]; /* neighbouring cells to look into at each side; 0: there is one cell */
  int first;    /* column of this rank's strip */
  int columns;  /* with those beside the strip, of which there may be less than two */
  int64_t *start;
  struct neighbour *lipid; /* in order of cells: start[2][columns][n[1]] */
};

/* With less than three cells along an edge, both neighbours of a cell would be the same one: then
   there is one cell. No more cells than lipids. */
static int cells_along(double edge, double range, int64_t n)
{
  const double fit = floor(edge / (range * (1 + 1e-6))), most = floor(sqrt((double)n));
  const double cells = fit < most ? fit : most;
  return cells < 3 ? 1 : (int)cells;
}

static int cell_along(const struct cells *c, int d, const uint32_t *head)
{
  return (int)((uint64_t)head[d] * (uint64_t)c->n[d] >> 32);
}

/* Rank r has the columns from n r / size on, rounded up. */
static int strip_first(const struct cells *c, const struct ranks *r, int rank)
{
  return (int)(((int64_t)c->n[0] * rank + r->size - 1) / r->size);
}

static int rank_of_column(const struct cells *c, const struct ranks *r, int column)
{
  return (int)((int64_t)column * r->size / c->n[0]);
}

static void cells_choose(struct cells *c, const struct neighbours *s)
{
  for (int d = 0; d < 2; d++) {
    c->n[d] = cells_along(s->box[d], s->range, s->all);
    c->reach[d] = c->n[d] > 1;
  }
  c->first = strip_first(c, s->ranks, s->ranks->rank);
  const int own = strip_first(c, s->ranks, s->ranks->rank + 1) - c->first;
  c->columns = own + 2 * c->reach[0] < c->n[0] ? own + 2 * c->reach[0] : c->n[0];
}

/* The ranks that need the lipids of a column: those of the column and of both beside it. Returns
   their number. */
static int ranks_of(const struct cells *c, const struct ranks *r, int column, int rank[3])
{
  int n = 0;
  for (int k = -c->reach[0]; k <= c->reach[0]; k++) {
    const int to = rank_of_column(c, r, (column + k + c->n[0]) % c->n[0]);
    int known = 0;
    for (int j = 0; j < n; j++)
      known |= rank[j] == to;
    if (!known) rank[n++] = to;
  }
  return n;
}

/* The lipids that this rank needs. The caller frees them. */
static struct neighbour *lipids_exchange(const struct cells *c, const struct neighbours *s,
                                         int64_t *received)
{
  const struct ranks *r = s->ranks;
  int64_t *count = alloc_array(r->size, sizeof *count), *next = alloc_array(r->size, sizeof *next);
  int64_t all = 0;
  int rank[3];
  for (int64_t k = 0; k < s->n; k++)
    for (int j = ranks_of(c, r, cell_along(c, 0, s->lipid[k].head), rank); j > 0; j--)
      count[rank[j - 1]]++;
  for (int k = 0; k < r->size; k++) {
    next[k] = all;
    all += count[k];
  }
  struct neighbour *send = alloc_array(all, sizeof *send);
  for (int64_t k = 0; k < s->n; k++)
    for (int j = ranks_of(c, r, cell_along(c, 0, s->lipid[k].head), rank); j > 0; j--)
      send[next[rank[j - 1]]++] = s->lipid[k];
  struct neighbour *got = ranks_exchange(r, sizeof *got, send, count, NULL, received);
  free(send);
  free(next);
  free(count);
  return got;
}

/* A column counted from the one before the strip. */
static int column_of(const struct cells *c, const struct neighbour *lipid)
{
  return (cell_along(c, 0, lipid->head) - c->first + c->reach[0] + c->n[0]) % c->n[0];
}

static int64_t cell_of(const struct cells *c, const struct neighbour *lipid)
{
  return ((int64_t)lipid->leaflet * c->columns + column_of(c, lipid)) * c->n[1] +
         cell_along(c, 1, lipid->head);
}

static void cells_fill(struct cells *c, const struct neighbour *lipid, int64_t n)
{
  const int64_t cells = (int64_t)2 * c->columns * c->n[1];
  c->start = alloc_array(cells + 2, sizeof *c->start);
  c->lipid = alloc_array(n, sizeof *c->lipid);
  /* start[k + 2] counts cell k, then start[k + 1] is where its next lipid goes. */
  for (int64_t k = 0; k < n; k++)
    c->start[cell_of(c, &lipid[k]) + 2]++;
  for (int64_t k = 2; k < cells + 2; k++)
    c->start[k] += c->start[k - 1];
  for (int64_t k = 0; k < n; k++)
    c->lipid[c->start[cell_of(c, &lipid[k]) + 1]++] = lipid[k];
}

/* Adds the partners of a lipid in a cell to count[types]. */
static void count_cell(const struct neighbours *s, const struct cells *c,
                       const struct neighbour *of, int64_t cell, int64_t *count)
{
  const double range2 = s->range * s->range;
  for (int64_t j = c->start[cell]; j < c->start[cell + 1]; j++) {
    const struct neighbour *e = &c->lipid[j];
    const double x = observe_difference(e->head[0], of->head[0], s->box[0]);
    const double y = observe_difference(e->head[1], of->head[1], s->box[1]);
    if (e->index > of->index && x * x + y * y <= range2) count[e->type]++;
  }
}

void neighbours_count(const struct neighbours *s, int64_t *count)
{
  struct cells c;
  int64_t n;
  cells_choose(&c, s);
  struct neighbour *lipid = lipids_exchange(&c, s, &n);
  cells_fill(&c, lipid, n);
  free(lipid);
  /* In the order of cells, so that the lipids nearby are still in the cache. */
  for (int64_t k = 0; k < n; k++) {
    const struct neighbour *of = &c.lipid[k];
    if (rank_of_column(&c, s->ranks, cell_along(&c, 0, of->head)) != s->ranks->rank) continue;
    const int x = column_of(&c, of), y = cell_along(&c, 1, of->head);
    for (int i = -c.reach[0]; i <= c.reach[0]; i++)
      for (int j = -c.reach[1]; j <= c.reach[1]; j++) {
        const int64_t row = (int64_t)of->leaflet * c.columns + (x + i + c.n[0]) % c.n[0];
        count_cell(s, &c, of, row * c.n[1] + (y + j + c.n[1]) % c.n[1],
                   count + (int64_t)of->type * s->types);
      }
  }
  free(c.start);
  free(c.lipid);
}
