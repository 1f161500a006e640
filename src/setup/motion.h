/* The motion that a system starts with. */
#ifndef MOTION_H
#define MOTION_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Sets the seed, draws the momenta of all beads at a temperature (K; system_thermalise) and removes
   the motion of the centre of mass. The same on any number of ranks. Collective. */
void motion_draw(const struct ranks *r, struct system *s, double temperature, uint64_t seed);

#endif
