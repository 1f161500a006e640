/* Builds crystals of single beads: sc, bcc and fcc, on exact lattice sites. */
#ifndef LATTICE_H
#define LATTICE_H

#include "input/build_spec.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Each rank builds its block. Takes ownership of the specification's force field. Ids run through
   the sites of a cell, then x, y, z. Momenta are 0. */
struct system *lattice_build(const struct ranks *r, struct build_spec *spec);

#endif
