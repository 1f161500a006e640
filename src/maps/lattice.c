#include "maps/lattice.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/torus.h"

int32_t lattice_on_torus(const struct map_torus *t, int k, double x)
{
  const double turns = (x - t->low[k]) / t->edge[k];
  return (int32_t)(uint32_t)(uint64_t)llround((turns - floor(turns)) * TORUS_EDGE);
}

struct map_torus lattice_torus_box(const double box[3])
{
  struct map_torus t = {{0}, {0}};
  for (int k = 0; k < 3; k++)
    t.edge[k] = box[k];
  return t;
}

struct map_torus lattice_torus_open(const double low[3], const double high[3], double cutoff)
{
  const double margin = 1e-3; /* of the extent; and nm, for an extent of 0 */
  struct map_torus t;
  for (int k = 0; k < 3; k++) {
    const double extent = (high[k] - low[k]) * (1 + margin) + margin;
    t.low[k] = low[k] - 0.5 * margin;
    t.edge[k] = cutoff > 0 ? extent + cutoff * (1 + margin) : 2 * extent;
  }
  return t;
}

int lattice_first(int n, int rank, int size)
{
  const int64_t blocks = (n + MAP_BLOCK - 1) / MAP_BLOCK;
  if (blocks < size) return (int)((int64_t)n * rank / size);
  const int64_t first = blocks * rank / size * MAP_BLOCK;
  return (int)(first < n ? first : n);
}

int lattice_rank(int n, int plane, int size)
{
  int rank = (int)((int64_t)plane * size / n);
  while (rank > 0 && lattice_first(n, rank, size) > plane)
    rank--;
  while (lattice_first(n, rank + 1, size) <= plane)
    rank++;
  return rank;
}

struct map_lattice *lattice_create(const struct map_torus *t, const int n[3],
                                   const double origin[3], const double spacing[3], int rank,
                                   int size)
{
  struct map_lattice *l = alloc_array(1, sizeof *l);
  for (int k = 0; k < 3; k++) {
    l->n[k] = n[k];
    l->origin[k] = origin[k];
    l->spacing[k] = spacing[k];
    l->at[k] = alloc_array(n[k], sizeof *l->at[k]);
    for (int i = 0; i < n[k]; i++)
      l->at[k][i] = lattice_on_torus(t, k, origin[k] + i * spacing[k]);
  }
  for (int k = 0; k < 2; k++)
    l->whole[k] = n[k];
  l->first = lattice_first(n[2], rank, size);
  l->count = lattice_first(n[2], rank + 1, size) - l->first;
  return l;
}

void lattice_destroy(struct map_lattice *l)
{
  if (!l) return;
  for (int k = 0; k < 3; k++)
    free(l->at[k]);
  free(l);
}
