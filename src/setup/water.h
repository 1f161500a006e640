/* Water: single beads at a density, evenly spread, turned at random. */
#ifndef WATER_H
#define WATER_H

#include "input/build_spec.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Makes the bead with an id of this rank's block a water of the specification at x, image 0. */
void water_set_bead(struct system *s, const struct build_spec *spec, int64_t id, int64_t molecule,
                    const double x[3]);
/* A cube of water; takes the force field of the specification. Momenta are 0. */
struct system *water_build(const struct ranks *r, struct build_spec *spec);

#endif
