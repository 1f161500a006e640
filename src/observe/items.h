/* Words of single items (molecules or beads) that rank 0 needs one by one, and not their sums: each
   rank has those of its share of the beads. Items are in groups; in a group they are in order of
   id. Host memory. */
#ifndef ITEMS_H
#define ITEMS_H

#include <stdint.h>

#include "observe/observable.h"

struct items {
  const struct ranks *ranks; /* borrowed */
  int groups, width;         /* words of an item */
  int64_t n, all;            /* items of this rank, and of all ranks */
  int64_t *first;            /* [groups + 1]: first item of a group, of those of all ranks */
  int64_t *own;              /* [n][width], group by group */
  int64_t *whole;            /* rank 0: [all][width], group by group, after items_gather */
  int64_t *count;            /* rank 0: [ranks][groups], items */
};

/* n[groups]: items of this rank. In memory of the observable. Collective. */
void items_open(struct items *s, struct observable *o, int groups, const int64_t *n, int width);
/* Gathers `own` of all ranks in `whole` on rank 0. Collective. */
void items_gather(struct items *s);

#endif
