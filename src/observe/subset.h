/* The subset that stands for many equal things: all of them up to SUBSET_MOST, else SUBSET_MOST of
   them at equal distances in their order. */
#ifndef SUBSET_H
#define SUBSET_H

#include "observe/observable.h"

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
