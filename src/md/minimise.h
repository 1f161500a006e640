/* Steepest descent with limited displacements, stable for overlapping beads. Every bead moves along
   its own force by min(step |f|, limit) and turns about its torque likewise. A move that raises the
   energy is undone, and the step is halved. If forces grow without bound, because beads fall into
   each other, the result is the state whose largest force is smallest. */
#ifndef MINIMISE_H
#define MINIMISE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

struct minimise_options {
  int64_t max_steps;
  double force; /* kJ/mol/nm; converged when no bead has a larger force */
};

/* Minimises the energy: changes positions and orientations of the system. Runs on the CPU backend
   in double precision, with lists that miss no pair. The result has neither a larger energy nor a
   larger largest force than the start, unless that is below the one asked for; warns if it is not
   converged. Status 3 if nothing better than the start is found because beads fall into each other.
   Collective. */
void minimise_system(struct ranks *r, struct system *s, const struct minimise_options *o);

#endif
