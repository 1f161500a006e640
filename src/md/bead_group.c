#include "md/bead_group.h"

#include <stdlib.h>

#include "base/memory.h"

/* 1 if bead k of this rank's block is of the group's molecule types and ids. */
static int has(const struct bead_group *g, const struct system *s, int64_t k)
{
  const int molecule_type = s->beads.molecule_type[k];
  const int64_t id = s->first + k;
  if (id < g->first || id > g->last) return 0;
  return !g->molecule || (molecule_type >= 0 && g->molecule[molecule_type]);
}

/* Merges adjacent ranges; returns how many are left. */
static int joined(int64_t (*range)[2], int64_t n)
{
  int left = 0;
  for (int64_t k = 0; k < n; k++) {
    if (left > 0 && range[left - 1][1] + 1 == range[k][0])
      range[left - 1][1] = range[k][1];
    else {
      range[left][0] = range[k][0];
      range[left++][1] = range[k][1];
    }
  }
  return left;
}

void bead_group_find(struct bead_group *g, const struct ranks *r, const struct system *s)
{
  int64_t(*own)[2] = NULL, n = 0, bytes;
  for (int64_t k = 0; k < s->n; k++) {
    if (!has(g, s, k)) continue;
    const int64_t id = s->first + k;
    if (n > 0 && own[n - 1][1] + 1 == id) {
      own[n - 1][1] = id;
      continue;
    }
    own = extend_array(own, n, sizeof *own);
    own[n][0] = own[n][1] = id;
    n++;
  }
  g->range = ranks_allgather(r, own, n * (int64_t)sizeof *own, &bytes);
  g->n_ranges = joined(g->range, bytes / (int64_t)sizeof *g->range);
  free(own);
}

int64_t bead_group_count(const struct bead_group *g, const struct ranks *r, const struct system *s)
{
  const struct bead_set set = bead_set_of(g);
  int64_t n = 0;
  for (int64_t k = 0; k < s->n; k++)
    n += bead_set_has(&set, s->beads.type[k], s->first + k);
  ranks_sum_int64(r, &n, 1);
  return n;
}
