#include "cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

/* Columns a half of the list radius wide, cells a sixth high: long runs of candidates for vector
   units, few of them in vain. */
enum { COLUMNS_PER_RADIUS = 2, CELLS_PER_RADIUS = 6, GRID_MAX = 1 << 20 };

void grid_set(struct grid *g, const double box[3], double radius)
{
  for (int k = 0; k < 3; k++) {
    double n = floor(box[k] / radius * (k < 2 ? COLUMNS_PER_RADIUS : CELLS_PER_RADIUS));
    g->n[k] = n < 1 ? 1 : n > GRID_MAX ? GRID_MAX : (int)n;
    g->box[k] = box[k];
  }
  g->radius = radius;
}

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
  int64_t cells = (int64_t)c->grid.n[0] * c->grid.n[1] * c->grid.n[2];
  if (cells + 1 > c->start_size) {
    c->start_size = cells + 1;
    c->start = grow_array(c->start, c->start_size, sizeof *c->start);
  }
  if (n <= c->size) return;
  c->size = n + n / 8 + 64;
  c->order = grow_array(c->order, c->size, sizeof *c->order);
  c->cell = grow_array(c->cell, c->size, sizeof *c->cell);
  c->x = grow_array(c->x, c->size, sizeof *c->x);
  c->y = grow_array(c->y, c->size, sizeof *c->y);
  c->z = grow_array(c->z, c->size, sizeof *c->z);
}

void cells_sort(struct cells *c, const struct grid *g, int n, const int32_t *position,
                const int64_t *id)
{
  c->grid = *g;
  cells_reserve(c, n);
  int64_t cells = (int64_t)g->n[0] * g->n[1] * g->n[2];
  memset(c->start, 0, (size_t)(cells + 1) * sizeof *c->start);
  for (int i = 0; i < n; i++) {
    const int32_t *p = position + 3 * (int64_t)i;
    c->cell[i] = (cells_place(p[0], g->n[0]) * g->n[1] + cells_place(p[1], g->n[1])) * g->n[2] +
                 cells_place(p[2], g->n[2]);
    c->start[c->cell[i] + 1]++;
  }
  for (int64_t k = 0; k < cells; k++)
    c->start[k + 1] += c->start[k];
  for (int i = 0; i < n; i++)
    c->order[c->start[c->cell[i]]++] = i;
  for (int64_t k = cells; k > 0; k--)
    c->start[k] = c->start[k - 1];
  c->start[0] = 0;
  for (int64_t k = 0; k < cells; k++)
    cell_order(c->order + c->start[k], c->start[k + 1] - c->start[k], id);
  for (int k = 0; k < n; k++) {
    const int32_t *p = position + 3 * (int64_t)c->order[k];
    c->x[k] = p[0];
    c->y[k] = p[1];
    c->z[k] = p[2];
  }
}

void cells_free(struct cells *c)
{
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
  free(l->count);
  free(l->index);
  memset(l, 0, sizeof *l);
}
