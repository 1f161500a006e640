/* Groups of beads: those of some types, in some molecule types, with some ids. */
#ifndef BEAD_GROUP_H
#define BEAD_GROUP_H

#include <stdint.h>
#include <stdlib.h>

#include "base/hd.h"

/* Host memory. */
struct bead_group {
  char *type;          /* [n_types]: 1 for those of the group */
  char *molecule;      /* [n_molecules], likewise; NULL: any, and beads of no molecule */
  int64_t first, last; /* ids */
  int64_t (
      *range)[2]; /* [n_ranges]: first and last id of each range of the group's molecules within
                     [first, last], ascending and disjoint; NULL: not found yet (md/groups.h) */
  int n_ranges;
};

/* A group as loops and kernels read it. type: [n_types]. Memory of the backend; borrowed. */
struct bead_set {
  const char *type;
  const int64_t (*range)[2];
  int n_ranges;
};

/* 1 if an id lies in one of n ranges, ascending and disjoint. On host and device. */
HD int ranges_have(const int64_t (*range)[2], int n, int64_t id)
{
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (range[middle][1] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n && range[low][0] <= id;
}

HD int bead_set_has(const struct bead_set *s, int type, int64_t id)
{
  return s->type[type] && ranges_have(s->range, s->n_ranges, id);
}

/* The beads of a group whose ranges are found, host memory. */
static inline struct bead_set bead_group_set(const struct bead_group *g)
{
  struct bead_set set = {g->type, (const int64_t(*)[2])g->range, g->n_ranges};
  return set;
}

static inline void bead_group_free(struct bead_group *g)
{
  free(g->type);
  free(g->molecule);
  free(g->range);
}

#endif
