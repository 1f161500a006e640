/* A flat bilayer of any mix of lipids in water. Ids: the lipids of the upper leaflet by kind, those
   of the lower, the water. The membrane lies in the middle of the box, its normal along z. */
#ifndef BILAYER_H
#define BILAYER_H

#include "input/build_spec.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Takes the force field of the specification. Momenta are 0. */
struct system *bilayer_build(const struct ranks *r, struct build_spec *spec);

#endif
