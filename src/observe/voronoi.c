/* A cell begins as the box around its point and is cut by the lines half way to other points, in
   rings of a grid around it, until these are too far away to reach it. */
#include "observe/voronoi.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/torus.h"

/* Points of both leaflets, sorted by the cells of a grid of about one point a cell and leaflet. */
struct grid {
  int n[2];
  double edge[2];     /* nm, of a cell */
  int64_t *start;     /* [2][n[0]][n[1]] + 1 */
  double (*point)[2]; /* nm, inside the box */
};

struct polygon {
  int n, room;
  double (*corner)[2]; /* around a point at 0, counterclockwise */
  double (*next)[2];   /* scratch */
};

static int cell_along(const struct grid *g, int d, double x)
{
  const int k = (int)(x / g->edge[d]);
  return k < g->n[d] ? k : g->n[d] - 1;
}

static void point_of(const struct neighbours *s, const struct neighbour *lipid, double x[2])
{
  for (int d = 0; d < 2; d++)
    x[d] = (double)lipid->head[d] * (s->box[d] / TORUS_EDGE);
}

static int64_t cell_of(const struct grid *g, int leaflet, const double x[2])
{
  return ((int64_t)leaflet * g->n[0] + cell_along(g, 0, x[0])) * g->n[1] + cell_along(g, 1, x[1]);
}

static void grid_make(struct grid *g, const struct neighbours *s, const struct neighbour *all,
                      int64_t n)
{
  const double spacing = sqrt(2 * s->box[0] * s->box[1] / (double)n);
  double x[2];
  for (int d = 0; d < 2; d++) {
    g->n[d] = (int)fmin(fmax(s->box[d] / spacing, 1), 30000);
    g->edge[d] = s->box[d] / g->n[d];
  }
  g->start = alloc_array((int64_t)2 * g->n[0] * g->n[1] + 2, sizeof *g->start);
  g->point = alloc_array(n, sizeof *g->point);
  for (int64_t k = 0; k < n; k++) {
    point_of(s, &all[k], x);
    g->start[cell_of(g, all[k].leaflet, x) + 2]++;
  }
  for (int64_t c = 2; c < (int64_t)2 * g->n[0] * g->n[1] + 2; c++)
    g->start[c] += g->start[c - 1];
  for (int64_t k = 0; k < n; k++) {
    point_of(s, &all[k], x);
    double *to = g->point[g->start[cell_of(g, all[k].leaflet, x) + 1]++];
    to[0] = x[0];
    to[1] = x[1];
  }
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

static void polygon_take(struct polygon *p, int n)
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
  polygon_take(p, n);
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

/* Cuts the polygon around x by the points of a cell of the grid, which may lie in a periodic image.
 */
static void cut_by_cell(const struct grid *g, int leaflet, const double x[2], const int at[2],
                        struct polygon *p)
{
  double shift[2];
  int cell[2];
  for (int d = 0; d < 2; d++) {
    const int turns = at[d] < 0 ? (at[d] + 1) / g->n[d] - 1 : at[d] / g->n[d];
    cell[d] = at[d] - turns * g->n[d];
    shift[d] = turns * (g->edge[d] * g->n[d]) - x[d];
  }
  const int64_t c = ((int64_t)leaflet * g->n[0] + cell[0]) * g->n[1] + cell[1];
  for (int64_t k = g->start[c]; k < g->start[c + 1]; k++) {
    const double d[2] = {g->point[k][0] + shift[0], g->point[k][1] + shift[1]};
    const double r2 = d[0] * d[0] + d[1] * d[1];
    if (r2 > 0 && r2 < 4 * polygon_reach2(p)) polygon_cut(p, d);
  }
}

static double area_of(const struct grid *g, int leaflet, const double x[2], struct polygon *p)
{
  const double half[2] = {g->edge[0] * g->n[0] / 2, g->edge[1] * g->n[1] / 2};
  const double edge = fmin(g->edge[0], g->edge[1]);
  const int here[2] = {cell_along(g, 0, x[0]), cell_along(g, 1, x[1])};
  for (int k = 0; k < 4; k++)
    polygon_add(p, k, k % 3 ? half[0] : -half[0], k < 2 ? -half[1] : half[1]);
  polygon_take(p, 4);
  cut_by_cell(g, leaflet, x, here, p);
  for (int ring = 1; (ring - 1) * edge < 2 * sqrt(polygon_reach2(p)); ring++)
    for (int i = -ring; i <= ring; i++)
      for (int j = -ring; j <= ring; j += abs(i) == ring ? 1 : 2 * ring) {
        const int at[2] = {here[0] + i, here[1] + j};
        cut_by_cell(g, leaflet, x, at, p);
      }
  return polygon_area(p);
}

void voronoi_areas(const struct neighbours *s, int64_t *area)
{
  int64_t bytes;
  struct neighbour *all =
      ranks_allgather(s->ranks, s->lipid, s->n * (int64_t)sizeof *s->lipid, &bytes);
  struct grid g;
  struct polygon p = {0, 0, NULL, NULL};
  grid_make(&g, s, all, s->all);
  for (int64_t k = 0; k < s->n; k++) {
    double x[2];
    point_of(s, &s->lipid[k], x);
    area[s->lipid[k].type] += llrint(ldexp(area_of(&g, s->lipid[k].leaflet, x, &p), VORONOI_BITS));
  }
  free(p.corner);
  free(p.next);
  free(g.start);
  free(g.point);
  free(all);
}
