/* The sources of a map, sorted on a rank that has all of them. */
#ifndef SORTED_SOURCES_H
#define SORTED_SOURCES_H

#include <stdlib.h>

#include "base/log.h"
#include "maps/sources.h"

/* Into bins whose edges are at least `bin` nm. The caller destroys them. */
static inline struct map_sources *sorted_sources(const struct map_charges *c,
                                                 const struct map_torus *t, double bin)
{
  static const int low[3] = {0, 0, 0};
  int bins[3];
  sources_bins(t, c->n, bin, bins);
  struct map_source *source = alloc_array(c->n, sizeof *source);
  for (int64_t k = 0; k < c->n; k++)
    source[k] = sources_on_torus(&c->charge[k], t);
  struct map_sources *s = sources_sort(source, c->n, bins, low, bins);
  free(source);
  return s;
}

#endif
