#include "cpu/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel_loop.h"
#include "base/torus.h"

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

/* The beads that are sorted. */
struct sorting {
  struct cells *c;
  int threads;
  const int32_t *position;
  const int64_t *id;
};

enum { LEAST = 256 }; /* beads of a chunk, or cells */

/* Marks the planes of cells that contain beads. Several threads may mark the same. */
static int planes_chunk(void *of, int begin, int end, int thread)
{
  const struct sorting *s = of;
  (void)thread;
  for (int64_t i = begin; i < end; i++)
    for (int k = 0; k < 3; k++) {
      int *mark = &s->c->below[k][cells_place(s->position[3 * i + k], s->c->grid.n[k]) + 1];
      if (!__atomic_load_n(mark, __ATOMIC_RELAXED)) __atomic_store_n(mark, 1, __ATOMIC_RELAXED);
    }
  return end;
}

/* Finds the planes of cells that contain beads. Returns the number of cells in such planes of all
   three axes. */
static int64_t planes_find(struct sorting *s)
{
  struct cells *c = s->c;
  int64_t cells = 1;
  for (int k = 0; k < 3; k++)
    memset(c->below[k], 0, ((size_t)c->grid.n[k] + 1) * sizeof *c->below[k]);
  parallel_loop(s->threads, c->n, LEAST, planes_chunk, s);
  for (int k = 0; k < 3; k++) {
    for (int plane = 0; plane < c->grid.n[k]; plane++)
      c->below[k][plane + 1] += c->below[k][plane];
    cells *= c->below[k][c->grid.n[k]];
  }
  return cells;
}

static int places_chunk(void *of, int begin, int end, int thread)
{
  const struct sorting *s = of;
  struct cells *c = s->c;
  const int *n = c->grid.n, *const *below = (const int *const *)c->below;
  const int ny = below[1][n[1]], nz = below[2][n[2]];
  (void)thread;
  for (int i = begin; i < end; i++) {
    const int32_t *p = s->position + 3 * (int64_t)i;
    c->cell[i] = (below[0][cells_place(p[0], n[0])] * ny + below[1][cells_place(p[1], n[1])]) * nz +
                 below[2][cells_place(p[2], n[2])];
  }
  return end;
}

static int order_chunk(void *of, int begin, int end, int thread)
{
  const struct sorting *s = of;
  const struct cells *c = s->c;
  (void)thread;
  for (int k = begin; k < end; k++)
    cell_order(c->order + c->start[k], c->start[k + 1] - c->start[k], s->id);
  return end;
}

/* Counting sort with a table of cells. */
static void sort_by_table(struct sorting *s, int64_t cells)
{
  struct cells *c = s->c;
  start_reserve(c, cells + 1);
  memset(c->start, 0, (size_t)(cells + 1) * sizeof *c->start);
  parallel_loop(s->threads, c->n, LEAST, places_chunk, s);
  for (int i = 0; i < c->n; i++)
    c->start[c->cell[i] + 1]++;
  for (int64_t k = 0; k < cells; k++)
    c->start[k + 1] += c->start[k];
  for (int i = 0; i < c->n; i++)
    c->order[c->start[c->cell[i]]++] = i;
  for (int64_t k = cells; k > 0; k--)
    c->start[k] = c->start[k - 1];
  c->start[0] = 0;
  parallel_loop(s->threads, (int)cells, LEAST, order_chunk, s);
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

static int copy_chunk(void *of, int begin, int end, int thread)
{
  const struct sorting *s = of;
  struct cells *c = s->c;
  (void)thread;
  for (int k = begin; k < end; k++) {
    const int32_t *p = s->position + 3 * (int64_t)c->order[k];
    c->x[k] = p[0];
    c->y[k] = p[1];
    c->z[k] = p[2];
  }
  return end;
}

void cells_sort(struct cells *c, const struct grid *g, int n, const int32_t *position,
                const int64_t *id, int threads)
{
  struct sorting s = {c, threads, position, id};
  c->grid = *g;
  c->n = n;
  cells_reserve(c, n);
  const int64_t cells = planes_find(&s);
  c->has_table = cells <= table_most(n);
  if (c->has_table)
    sort_by_table(&s, cells);
  else
    sort_by_keys(c, position, id);
  parallel_loop(threads, n, LEAST, copy_chunk, &s);
}

void cells_renumber(struct cells *c)
{
  for (int k = 0; k < c->n; k++)
    c->order[k] = k;
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

void neighbor_list_begin(struct neighbor_list *l, int owned, int threads)
{
  if (owned > l->rows) {
    l->rows = owned + owned / 8 + 64;
    l->row = grow_array(l->row, l->rows, sizeof *l->row);
    l->n = grow_array(l->n, l->rows, sizeof *l->n);
  }
  if (!l->store) l->store = alloc_array(threads, sizeof *l->store);
  l->threads = threads;
  for (int k = 0; k < threads; k++)
    l->store[k].used = l->store[k].left = 0;
}

int *list_store_room(struct list_store *s, int n)
{
  enum { BLOCK = 1 << 16 };
  while (s->left < n) {
    if (s->used == s->blocks) {
      s->block = extend_array(s->block, s->blocks, sizeof *s->block);
      s->size = extend_array(s->size, s->blocks, sizeof *s->size);
      s->size[s->blocks] = n > BLOCK ? n : BLOCK;
      s->block[s->blocks] = alloc_array(s->size[s->blocks], sizeof **s->block);
      s->blocks++;
    }
    s->next = s->block[s->used];
    s->left = s->size[s->used++];
  }
  return s->next;
}

int64_t neighbor_list_bytes(const struct neighbor_list *l)
{
  int64_t ints = 0;
  for (int k = 0; k < l->threads; k++) {
    for (int b = 0; b < l->store[k].used; b++)
      ints += l->store[k].size[b];
    ints -= l->store[k].left;
  }
  return ints * (int64_t)sizeof **l->row + l->rows * (int64_t)(sizeof *l->row + sizeof *l->n);
}

void neighbor_list_free(struct neighbor_list *l)
{
  for (int k = 0; k < l->threads; k++) {
    for (int b = 0; b < l->store[k].blocks; b++)
      free(l->store[k].block[b]);
    free(l->store[k].block);
    free(l->store[k].size);
  }
  free(l->store);
  free(l->row);
  free(l->n);
  memset(l, 0, sizeof *l);
}

void cells_refuse_point(const struct cells_job *job, int i, const int64_t *id)
{
  const int32_t *p = job->position + 3 * (int64_t)i;
  const double f[3] = {torus_fraction(p[0]), torus_fraction(p[1]), torus_fraction(p[2])};
  double x[3];
  int k = 0, j = job->cells->order[0];
  box_vector(job->cells->grid.box, f, x);
  while (j == i || memcmp(p, job->position + 3 * (int64_t)j, 3 * sizeof *p) != 0 ||
         exclusions_have(&job->skip, i, j))
    j = job->cells->order[++k];
  die(STATUS_NUMERIC, "beads %lld and %lld lie on one point (%.6f %.6f %.6f nm); move one of them",
      (long long)id[i], (long long)id[j], x[0], x[1], x[2]);
}
