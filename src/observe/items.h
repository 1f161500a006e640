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

/* The subset that stands for many equal things: all of them up to SUBSET_MOST, else SUBSET_MOST of
   them at equal distances in their order. */
enum { SUBSET_MOST = 20000 };

/* How thing k of the share (a bead or a molecule) belongs to a list of type `type`: not at all, if
   it is in the subset of all such things, or always. */
enum subset_member { LISTED_NOT, LISTED_IN_SUBSET, LISTED };
typedef enum subset_member subset_member(const struct observable *o, int type, int64_t k);

/* The number of things that belong, of n on this rank, over all ranks. Collective. */
int64_t subset_count(const struct observable *o, int64_t n, subset_member *of, int type);
/* Those of n things of this rank that are listed, *listed, in memory of the observable. Collective.
 */
int64_t *subset_list(struct observable *o, int64_t n, subset_member *of, int type, int64_t *listed);

#endif
