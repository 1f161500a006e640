/* Builds starting systems from a specification. Each rank builds its block, and takes ownership of
   the specification's force field. Momenta are 0. */
#ifndef BUILD_H
#define BUILD_H

#include "input/build_spec.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* A flat bilayer of any mix of lipids in water, in the middle of the box, its normal along z. Ids:
   lipids of the upper leaflet by type, those of the lower leaflet, water. */
struct system *bilayer_build(const struct ranks *r, struct build_spec *spec);
/* A cube of water: single beads at a density, evenly spread, with random orientations. */
struct system *water_build(const struct ranks *r, struct build_spec *spec);
/* A crystal of single beads: sc, bcc or fcc, on exact lattice sites. Ids run through the sites of a
   cell, then x, y, z. */
struct system *lattice_build(const struct ranks *r, struct build_spec *spec);

#endif
