/* Maps of sources that are divided over ranks. Each rank gets the sources within reach of its
   points from the ranks that have them, and no others. Planes of constant z can be so large and so
   near to each other that a rank reaches many more sources than its share of them: then ranks
   compute their planes in parts along x and y, one after the other, and have the sources of one
   part at a time. MAP_DIRECT reaches all sources. The values are the same bits for any number of
   ranks. */
#ifndef PARTS_H
#define PARTS_H

#include "maps/map.h"
#include "maps/sources.h"
#include "mpi/comm/ranks.h"

/* Computes a map by ops, methods but MAP_FULL, of the sources that the ranks give: sets
   value[count][n[1]][n[0]] of the planes of this rank, host memory, float or double as the job
   says. bin: see sources_bins. Frees the charges. job has no sources, before and afterwards. Status
   2 if the sources that a rank needs are too many for it. Returns the seconds of the sums on this
   rank, without sorting and messages. Collective. */
double parts_compute(const struct ranks *r, struct map_job *job, const struct map_ops *ops,
                     struct map_charges *c, double bin, void *value);
/* The same for MAP_FULL (full.h), on CPUs or (cuda 1) on GPUs. Sources travel in small numbers, and
   no rank keeps those of others. */
double parts_full(const struct ranks *r, const struct map_job *job, int cuda, struct map_charges *c,
                  void *value);

#endif
