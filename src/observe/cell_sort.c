#include "observe/cell_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int cells_along(double height, double range, double most)
{
  const double cells = fmin(floor(height / (range * (1 + 1e-6))), most);
  return cells < 3 ? 1 : (int)fmin(cells, 30000);
}

int cell_along(const struct cell_sort *s, int d, uint32_t x)
{
  return (int)((uint64_t)x * (uint64_t)s->n[d] >> 32);
}

int64_t cell_index(const struct cell_sort *s, int x, int y, int z)
{
  return ((int64_t)z * s->n[1] + y) * s->n[0] + x;
}

static int64_t cell_of(const struct cell_sort *s, const void *record)
{
  const uint32_t *x = record;
  return cell_index(s, cell_along(s, 0, x[0]), cell_along(s, 1, x[1]), cell_along(s, 2, x[2]));
}

void cell_sort_create(struct cell_sort *s, const void *record, size_t bytes, int64_t n)
{
  const int64_t cells = (int64_t)s->n[0] * s->n[1] * s->n[2];
  const char *from = record, *end = from + (size_t)n * bytes;
  s->start = alloc_array(cells + 2, sizeof *s->start);
  s->record = alloc_array(n, bytes);
  int64_t *next = s->start + 1; /* counts, then where the next record goes, in the end the ends */
  for (const char *at = from; at < end; at += bytes)
    next[1 + cell_of(s, at)]++;
  for (int64_t c = 1; c <= cells; c++)
    next[c] += next[c - 1];
  for (const char *at = from; at < end; at += bytes)
    memcpy((char *)s->record + (size_t)next[cell_of(s, at)]++ * bytes, at, bytes);
}

void cell_sort_destroy(struct cell_sort *s)
{
  free(s->start);
  free(s->record);
}

int cells_near(const struct cell_sort *s, const uint32_t x[3], int64_t cell[CELLS_NEAR])
{
  int from[3], many[3], n = 0;
  for (int d = 0; d < 3; d++) {
    many[d] = s->n[d] < 3 ? 1 : 3;
    from[d] = cell_along(s, d, x[d]) + (s->n[d] < 3 ? 0 : s->n[d] - 1);
  }
  for (int k = 0; k < many[2]; k++)
    for (int j = 0; j < many[1]; j++)
      for (int i = 0; i < many[0]; i++)
        cell[n++] = cell_index(s, (from[0] + i) % s->n[0], (from[1] + j) % s->n[1],
                               (from[2] + k) % s->n[2]);
  return n;
}
