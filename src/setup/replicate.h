/* Replicates systems, and gathers or distributes them. Collective. */
#ifndef REPLICATE_H
#define REPLICATE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* The number of ids that the ranges [first, end) and [from, to) share. */
static inline int64_t ids_shared(int64_t first, int64_t end, int64_t from, int64_t to)
{
  const int64_t begin = first > from ? first : from, last = end < to ? end : to;
  return begin < last ? last - begin : 0;
}

/* The largest number of a molecule of n beads. Local. */
int64_t largest_molecule(const struct beads *b, int64_t n);
/* Gathers a system on rank 0; returns NULL on other ranks. The result has no force field. */
struct system *replicate_gather(const struct ranks *r, const struct system *s);
/* Returns count[0] x count[1] x count[2] copies of a whole system, distributed over all ranks in
   blocks of ids: copy after copy, x fastest. whole: on rank 0, others pass NULL. Copies have the
   momenta of the original; molecules across the box faces are made whole; there is no neighbour
   list. A single copy is the original itself. Takes ownership of ff, which every rank passes. */
struct system *replicate_whole(const struct ranks *r, const struct system *whole,
                               const int count[3], struct forcefield *ff);

#endif
