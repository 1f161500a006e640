/* Steepest descent with limited displacements, stable for overlapping beads. Every bead moves along
   its own force by min(step |f|, limit) and turns about its torque likewise. A move that raises the
   energy is undone, and the step is halved. */
#ifndef MINIMISE_H
#define MINIMISE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

struct minimise_options {
  int64_t max_steps;
  double force; /* kJ/mol/nm; converged when no bead has a larger force */
};

struct minimise_result {
  int64_t steps;
  double before, after; /* potential energy, kJ/mol; before may be infinite */
  double largest_force; /* kJ/mol/nm */
  int64_t bead;         /* id of the bead with the largest force */
};

/* Minimises the energy: changes positions and orientations of the system. Runs on the CPU backend
   in double precision, with lists that miss no pair. Collective. */
struct minimise_result minimise_system(struct ranks *r, struct system *s,
                                       const struct minimise_options *o);

#endif
