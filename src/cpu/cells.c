#include "cpu/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Orders the few beads of a cell by id. */
static void cell_order(int *order, int n, const int64_t *id)
{
  for (int a = 1; a < n; a++) {
    int v = order[a], b = a;
    for (; b > 0 && id[order[b - 1]] > id[v]; b--)
      order[b] = order[b - 1];
    order[b] = v;
  }
}

static void cells_reserve(struct cells *c, int n)
{
  for (int k = 0; k < 3; k++)
    if (c->grid.n[k] + 1 > c->room[k]) {
      c->room[k] = c->grid.n[k] + 1;
      c->below[k] = grow_array(c->below[k], c->room[k], sizeof *c->below[k]);
    }
  if (n <= c->size) return;
  c->size = n + n / 8 + 64;
  c->order = grow_array(c->order, c->size + CELLS_OVER, sizeof *c->order);
  c->cell = grow_array(c->cell, c->size, sizeof *c->cell);
  c->x = grow_array(c->x, c->size + CELLS_OVER, sizeof *c->x);
  c->y = grow_array(c->y, c->size + CELLS_OVER, sizeof *c->y);
  c->z = grow_array(c->z, c->size + CELLS_OVER, sizeof *c->z);
}

static void start_reserve(struct cells *c, int64_t n)
{
  if (n <= c->start_size) return;
  c->start_size = n;
  c->start = grow_array(c->start, c->start_size, sizeof *c->start);
}

/* Finds the planes of cells along an axis that contain beads. Returns their number. */
static int planes_find(struct cells *c, int axis, const int32_t *position)
{
  int cells = c->grid.n[axis], *below = c->below[axis];
  memset(below, 0, ((size_t)cells + 1) * sizeof *below);
  for (int64_t i = 0; i < c->n; i++)
    below[cells_place(position[3 * i + axis], cells) + 1] = 1;
  for (int k = 0; k < cells; k++)
    below[k + 1] += below[k];
  return below[cells];
}

/* Counting sort with a table of cells. */
static void sort_by_table(struct cells *c, const int32_t *position, const int64_t *id)
{
  const int *n = c->grid.n, *const *below = (const int *const *)c->below;
  const int ny = below[1][n[1]], nz = below[2][n[2]];
  const int64_t cells = (int64_t)below[0][n[0]] * ny * nz;
  start_reserve(c, cells + 1);
  memset(c->start, 0, (size_t)(cells + 1) * sizeof *c->start);
  for (int i = 0; i < c->n; i++) {
    const int32_t *p = position + 3 * (int64_t)i;
    c->cell[i] = (below[0][cells_place(p[0], n[0])] * ny + below[1][cells_place(p[1], n[1])]) * nz +
                 below[2][cells_place(p[2], n[2])];
    c->start[c->cell[i] + 1]++;
  }
  for (int64_t k = 0; k < cells; k++)
    c->start[k + 1] += c->start[k];
  for (int i = 0; i < c->n; i++)
    c->order[c->start[c->cell[i]]++] = i;
  for (int64_t k = cells; k > 0; k--)
    c->start[k] = c->start[k - 1];
  c->start[0] = 0;
  for (int64_t k = 0; k < cells; k++)
    cell_order(c->order + c->start[k], c->start[k + 1] - c->start[k], id);
}

struct keyed {
  int64_t column, id;
  int z, bead;
};

static int keyed_compare(const void *a, const void *b)
{
  const struct keyed *p = a, *q = b;
  if (p->column != q->column) return p->column < q->column ? -1 : 1;
  if (p->z != q->z) return p->z < q->z ? -1 : 1;
  return p->id < q->id ? -1 : p->id > q->id;
}

static int64_t column_number(const struct grid *g, int x, int y)
{
  return (int64_t)x * g->n[1] + y;
}

/* Comparison sort without a table. Column numbers are stored plus one, since the map has no id 0.
 */
static void sort_by_keys(struct cells *c, const int32_t *position, const int64_t *id)
{
  const struct grid *g = &c->grid;
  struct keyed *bead = alloc_array(c->n, sizeof *bead);
  int columns = 0;
  for (int i = 0; i < c->n; i++) {
    const int32_t *p = position + 3 * (int64_t)i;
    bead[i].column = column_number(g, cells_place(p[0], g->n[0]), cells_place(p[1], g->n[1]));
    bead[i].z = cells_place(p[2], g->n[2]);
    bead[i].id = id[i];
    bead[i].bead = i;
  }
  qsort(bead, (size_t)c->n, sizeof *bead, keyed_compare);
  start_reserve(c, c->n + 1LL);
  id_map_reset(&c->columns, c->n);
  for (int k = 0; k < c->n; k++) {
    c->order[k] = bead[k].bead;
    c->cell[k] = bead[k].z;
    if (k > 0 && bead[k].column == bead[k - 1].column) continue;
    id_map_put(&c->columns, bead[k].column + 1, columns);
    c->start[columns++] = k;
  }
  c->start[columns] = c->n;
  free(bead);
}

/* The largest number of cells for which n beads get a table. */
static int64_t table_most(int n)
{
  int64_t most = (INT64_C(1) << 16) + INT64_C(16) * n;
  return most < INT32_MAX ? most : INT32_MAX - 1;
}

void cells_sort(struct cells *c, const struct grid *g, int n, const int32_t *position,
                const int64_t *id)
{
  int64_t cells = 1;
  c->grid = *g;
  c->n = n;
  cells_reserve(c, n);
  for (int k = 0; k < 3; k++)
    cells *= planes_find(c, k, position);
  c->has_table = cells <= table_most(n);
  if (c->has_table)
    sort_by_table(c, position, id);
  else
    sort_by_keys(c, position, id);
  for (int k = 0; k < n; k++) {
    const int32_t *p = position + 3 * (int64_t)c->order[k];
    c->x[k] = p[0];
    c->y[k] = p[1];
    c->z[k] = p[2];
  }
}

struct cell_column cells_column(const struct cells *c, int x, int y)
{
  struct cell_column none = {NULL, 0, 0}, column = none;
  const int *n = c->grid.n;
  if (!c->has_table) {
    int k = id_map_get(&c->columns, column_number(&c->grid, x, y) + 1);
    if (k < 0) return none;
    column.begin = c->start[k];
    column.end = c->start[k + 1];
    return column;
  }
  const int *bx = c->below[0] + x, *by = c->below[1] + y, nz = c->below[2][n[2]];
  if (bx[0] == bx[1] || by[0] == by[1]) return none;
  column.start = c->start + ((int64_t)bx[0] * c->below[1][n[1]] + by[0]) * nz;
  column.begin = column.start[0];
  column.end = column.start[nz];
  return column;
}

int64_t cells_bytes(const struct cells *c)
{
  int64_t n = c->start_size;
  for (int k = 0; k < 3; k++)
    n += c->room[k];
  return n * (int64_t)sizeof(int);
}

void cells_free(struct cells *c)
{
  for (int k = 0; k < 3; k++)
    free(c->below[k]);
  id_map_free(&c->columns);
  free(c->start);
  free(c->order);
  free(c->cell);
  free(c->x);
  free(c->y);
  free(c->z);
  memset(c, 0, sizeof *c);
}

void neighbor_list_free(struct neighbor_list *l)
{
  free(l->row);
  free(l->index);
  memset(l, 0, sizeof *l);
}
