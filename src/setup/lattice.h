/* Crystals of single beads: sc, bcc and fcc, on exact lattice points. */
#ifndef LATTICE_H
#define LATTICE_H

#include "input/build_spec.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* The lattice of a specification; takes its force field. Ids run through the points of a cell, then
   x, y, z. Momenta are 0. */
struct system *lattice_build(const struct ranks *r, struct build_spec *spec);

#endif
