/* Builds water: single beads at a density, evenly spread, with random orientations. */
#ifndef WATER_H
#define WATER_H

#include "input/build_spec.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Makes the bead with an id of this rank's block a water molecule at x (nm), image 0. */
void water_set_bead(struct system *s, const struct build_spec *spec, int64_t id, int64_t molecule,
                    const double x[3]);
/* A cube of water; each rank builds its block. Takes ownership of the specification's force field.
   Momenta are 0. */
struct system *water_build(const struct ranks *r, struct build_spec *spec);

#endif
