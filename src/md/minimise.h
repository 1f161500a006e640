/* Steepest descent that no overlap can blow up: every bead moves along its own force by
   min(step |f|, limit), turns along its torque likewise, and a move that raises the energy is taken
   back with half the step. */
#ifndef MINIMISE_H
#define MINIMISE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

struct minimise_options {
  int64_t max_steps;
  double force; /* kJ/mol/nm; done when no bead feels more */
};

struct minimise_result {
  int64_t steps;
  double before, after; /* potential energy, kJ/mol; before may be infinite */
  double largest_force; /* kJ/mol/nm */
  int64_t bead;         /* that feels it */
};

/* Changes positions and orientations of the system; always in double, exact lists. Collective. */
struct minimise_result minimise_system(struct ranks *r, struct system *s,
                                       const struct minimise_options *o);

#endif
