#include "observe/neighbours.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/torus.h"
#include "observe/bilayer.h"
#include "observe/cell_sort.h"

/* The distance of the opposite sides of the plane that the vectors a (0) and b (1) connect, nm. */
static double height_of(const struct neighbours *s, int d)
{
  const double tilt = s->box[2] / s->box[1];
  return d == 0 ? s->box[0] / sqrt(1 + tilt * tilt) : s->box[1];
}

/* The square of the lateral distance, of the nearest images, nm2. */
static double distance2(const struct neighbours *s, const struct neighbour *a,
                        const struct neighbour *b)
{
  const double y = (double)(int32_t)(a->x[1] - b->x[1]) * (s->box[1] / TORUS_EDGE);
  const double x = (double)(int32_t)(a->x[0] - b->x[0]) * (s->box[0] / TORUS_EDGE);
  if (s->box[2] == 0) return x * x + y * y;
  const double shear = s->box[2] / s->box[1];
  double least = (double)INFINITY;
  for (int k = -1; k <= 1; k++) {
    const double v = y + k * s->box[1], u = x + shear * v;
    const double near = u - s->box[0] * round(u / s->box[0]);
    least = fmin(least, near * near + v * v);
  }
  return least;
}

/* Counts the partners of a lipid in a cell. */
static void count_cell(const struct neighbours *s, const struct cell_sort *c, int64_t cell,
                       const struct neighbour *of, int64_t *count)
{
  const struct neighbour *lipid = c->record;
  for (int64_t j = c->start[cell]; j < c->start[cell + 1]; j++) {
    const struct neighbour *e = &lipid[j];
    if (e->index > of->index && distance2(s, e, of) <= s->range * s->range)
      count[(int64_t)of->type * s->types + e->type]++;
  }
}

void neighbours_count(const struct neighbours *s, int64_t *count)
{
  const double most = floor(sqrt((double)s->all));
  struct cell_sort c = {.n = {cells_along(height_of(s, 0), s->range, most),
                              cells_along(height_of(s, 1), s->range, most), 2}};
  int64_t cell[CELLS_NEAR];
  cell_sort_create(&c, s->lipid, sizeof *s->lipid, s->all);
  for (int64_t k = s->first; k < s->first + s->n; k++)
    for (int j = cells_near(&c, s->lipid[k].x, cell); j > 0; j--)
      count_cell(s, &c, cell[j - 1], &s->lipid[k], count);
  cell_sort_destroy(&c);
}

/* Areas of Voronoi cells. A cell begins as the box around its point (in an oblique plane, a
   rectangle that holds all that is nearer to the point than to its images) and is cut by the lines
   half way to other points, in rings of a grid around it, until these are too far away to reach it.
 */

/* Lipids sorted by the cells of a grid of about one lipid a cell and leaflet. */
struct grid {
  struct cell_sort cells;
  double box[2], edge[2], shear; /* nm, of the box and of a cell; bx */
  double height;                 /* the least distance of opposite sides of a cell, nm */
};

struct polygon {
  int n, room;
  double (*corner)[2]; /* around a point at 0, counterclockwise */
  double (*next)[2];   /* scratch */
};

static void point_of(const struct grid *g, const struct neighbour *lipid, double x[2])
{
  for (int d = 0; d < 2; d++)
    x[d] = (double)lipid->x[d] * (g->box[d] / TORUS_EDGE);
  x[0] += (double)lipid->x[1] * (g->shear / TORUS_EDGE);
}

static void grid_make(struct grid *g, const struct neighbours *s)
{
  const double spacing = sqrt(2 * s->box[0] * s->box[1] / (double)s->all);
  for (int d = 0; d < 2; d++) {
    g->cells.n[d] = (int)fmin(fmax(s->box[d] / spacing, 1), 30000);
    g->box[d] = s->box[d];
    g->edge[d] = s->box[d] / g->cells.n[d];
  }
  g->shear = s->box[2];
  g->height = fmin(height_of(s, 0) / g->cells.n[0], height_of(s, 1) / g->cells.n[1]);
  g->cells.n[2] = 2;
  cell_sort_create(&g->cells, s->lipid, sizeof *s->lipid, s->all);
}

static void polygon_add(struct polygon *p, int k, double x, double y)
{
  if (k >= p->room) {
    p->room = 2 * p->room + 16;
    p->corner = grow_array(p->corner, p->room, sizeof *p->corner);
    p->next = grow_array(p->next, p->room, sizeof *p->next);
  }
  p->next[k][0] = x;
  p->next[k][1] = y;
}

static void polygon_swap(struct polygon *p, int n)
{
  double(*corner)[2] = p->corner;
  p->corner = p->next;
  p->next = corner;
  p->n = n;
}

/* Keeps the part that is nearer to 0 than to d. */
static void polygon_cut(struct polygon *p, const double d[2])
{
  const double half = 0.5 * (d[0] * d[0] + d[1] * d[1]);
  int n = 0;
  for (int k = 0; k < p->n; k++) {
    const double a[2] = {p->corner[k][0], p->corner[k][1]}, *b = p->corner[(k + 1) % p->n];
    const double over = a[0] * d[0] + a[1] * d[1] - half, next = b[0] * d[0] + b[1] * d[1] - half;
    const double to[2] = {b[0], b[1]};
    if (over <= 0) polygon_add(p, n++, a[0], a[1]);
    if ((over <= 0) == (next <= 0)) continue;
    const double part = over / (over - next);
    polygon_add(p, n++, a[0] + part * (to[0] - a[0]), a[1] + part * (to[1] - a[1]));
  }
  polygon_swap(p, n);
}

static double polygon_reach2(const struct polygon *p)
{
  double most = 0;
  for (int k = 0; k < p->n; k++)
    most = fmax(most, p->corner[k][0] * p->corner[k][0] + p->corner[k][1] * p->corner[k][1]);
  return most;
}

static double polygon_area(const struct polygon *p)
{
  double twice = 0;
  for (int k = 0; k < p->n; k++) {
    const double *a = p->corner[k], *b = p->corner[(k + 1) % p->n];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return twice / 2;
}

/* Cuts the polygon around x by the points of a cell of a leaflet of the grid, which may lie in a
   periodic image. */
static void cut_by_cell(const struct grid *g, int leaflet, const double x[2], const int at[2],
                        struct polygon *p)
{
  const struct neighbour *lipid = g->cells.record;
  double shift[2], point[2];
  int cell[2], turns[2];
  for (int d = 0; d < 2; d++) {
    const int n = g->cells.n[d];
    turns[d] = at[d] < 0 ? (at[d] + 1) / n - 1 : at[d] / n;
    cell[d] = at[d] - turns[d] * n;
    shift[d] = turns[d] * (g->edge[d] * n) - x[d];
  }
  shift[0] += turns[1] * g->shear;
  const int64_t *start = g->cells.start + cell_index(&g->cells, cell[0], cell[1], leaflet);
  for (int64_t k = start[0]; k < start[1]; k++) {
    point_of(g, &lipid[k], point);
    const double d[2] = {point[0] + shift[0], point[1] + shift[1]};
    const double r2 = d[0] * d[0] + d[1] * d[1];
    if (r2 > 0 && r2 < 4 * polygon_reach2(p)) polygon_cut(p, d);
  }
}

static double area_of(const struct grid *g, const struct neighbour *lipid, struct polygon *p)
{
  double half[2] = {g->edge[0] * g->cells.n[0] / 2, g->edge[1] * g->cells.n[1] / 2};
  if (g->shear != 0) half[1] = g->box[0] + g->box[1];
  const int here[2] = {cell_along(&g->cells, 0, lipid->x[0]),
                       cell_along(&g->cells, 1, lipid->x[1])};
  const int leaflet = cell_along(&g->cells, 2, lipid->x[2]);
  double x[2];
  point_of(g, lipid, x);
  for (int k = 0; k < 4; k++)
    polygon_add(p, k, k % 3 ? half[0] : -half[0], k < 2 ? -half[1] : half[1]);
  polygon_swap(p, 4);
  cut_by_cell(g, leaflet, x, here, p);
  for (int ring = 1; (ring - 1) * g->height < 2 * sqrt(polygon_reach2(p)); ring++)
    for (int i = -ring; i <= ring; i++)
      for (int j = -ring; j <= ring; j += abs(i) == ring ? 1 : 2 * ring) {
        const int at[2] = {here[0] + i, here[1] + j};
        cut_by_cell(g, leaflet, x, at, p);
      }
  return polygon_area(p);
}

void voronoi_areas(const struct neighbours *s, int64_t *area)
{
  struct grid g;
  struct polygon p = {0, 0, NULL, NULL};
  grid_make(&g, s);
  for (int64_t k = s->first; k < s->first + s->n; k++)
    area[s->lipid[k].type] += llrint(ldexp(area_of(&g, &s->lipid[k], &p), VORONOI_BITS));
  free(p.corner);
  free(p.next);
  cell_sort_destroy(&g.cells);
}
