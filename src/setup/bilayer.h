/* Builds a flat bilayer of any mix of lipids in water. Ids: lipids of the upper leaflet by type,
   those of the lower leaflet, water. The bilayer is in the middle of the box, its normal along
   z. */
#ifndef BILAYER_H
#define BILAYER_H

#include "input/build_spec.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Each rank builds its block. Takes ownership of the specification's force field. Momenta are 0. */
struct system *bilayer_build(const struct ranks *r, struct build_spec *spec);

#endif
