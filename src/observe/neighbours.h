/* Pairs of lipids of the same leaflet whose heads are near each other in the plane of the membrane.
   Host memory, local. */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include <stdint.h>

#include "observe/observable.h"

/* Counts for the lipids first ... end - 1 of n. head[n][2]: x and y of each lipid's head, fractions
   of the box edges in units of 2^-32; leaflet[n]: 0 or 1; kind[n]: 0 ... kinds - 1. Adds to
   count[kinds][kinds], at [kind of the lipid][kind of the other], the pairs at lateral distances of
   at most `range` (minimum image) with another lipid of a higher index. */
struct neighbours {
  int64_t n;
  const uint32_t (*head)[2];
  const unsigned char *leaflet;
  const int *kind;
  int kinds;
  double range;  /* nm */
  double box[2]; /* nm */
};

void neighbours_count(const struct neighbours *s, int64_t first, int64_t end, int64_t *count);

#endif
