/* Pairs of lipids of the same leaflet whose heads are near each other in the plane of the membrane.
   Lipids are sent to the rank that has their strip of the plane, and to those of the strips beside
   it if they may have neighbours there. Host memory. */
#ifndef NEIGHBOURS_H
#define NEIGHBOURS_H

#include <stdint.h>

#include "observe/observable.h"

struct neighbour {
  int64_t index;    /* of the lipid in the system */
  uint32_t head[2]; /* x and y of its head, fractions of the box edges in units of 2^-32 */
  int32_t leaflet;  /* 0 or 1 */
  int32_t type;     /* of molecule; 0 ... types - 1 */
};

struct neighbours {
  const struct ranks *ranks;
  int64_t all; /* lipids of the system */
  int64_t n;   /* of this rank; every lipid is on one rank */
  const struct neighbour *lipid;
  int types;
  double range;  /* nm */
  double box[2]; /* nm */
};

/* Adds to count[types][types], at [type of the lipid with the lower index][type of the other], the
   pairs at lateral distances of at most `range` (minimum image) that this rank finds: the sums over
   ranks are of all pairs, each once. Collective. */
void neighbours_count(const struct neighbours *s, int64_t *count);

#endif
