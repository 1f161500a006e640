/* Steepest descent with limited displacements, stable for overlapping beads. Every bead moves along
   its own force by min(step |f|, limit) and turns about its torque likewise. A move that raises the
   energy is undone, and the step is halved. While the energy is infinite, since beads overlap or
   lie on one point, no move is undone and the step stays as it is. If forces grow without bound,
   because beads fall into each other, the result is the state whose largest force is smallest.
   Beads that begin on top of each other are separated by soft cores, at small lambdas, before. */
#ifndef MINIMISE_H
#define MINIMISE_H

#include "md/sim.h"
#include "md/stop.h"
#include "model/soft_core.h"

struct minimise_options {
  int64_t max_steps;
  double force;             /* kJ/mol/nm; converged when no bead has a larger force */
  struct soft_lambdas soft; /* minimises with soft cores at each of these lambdas before */
  double displacement; /* nm; a step moves no bead by more; at most, and for 0, 0.15 of the skin */
};

/* Minimises the energy: changes positions and orientations of the system. Runs on the CPU backend
   in double precision, with lists that miss no pair. The result has neither a larger energy nor a
   larger largest force than the start, unless that is below the one asked for; warns if it is not
   converged. Beads may lie on one point. Status 3 if nothing better than the start is found because
   beads fall into each other. Collective. */
void minimise_system(struct ranks *r, struct system *s, const struct minimise_options *o);

/* A run that minimises (minimise.steps). */

/* The parameters of its simulation: those of a run, but for precision, lists, couplings and
   observables, and where y has constraints or virtual sites, for which GPUs have no minimiser, the
   backend. The caller destroys them. Local. */
struct params *minimise_params(const struct params *p, const struct system *y);
/* Minimises a simulation of such parameters, and writes the checkpoint of its prefix, with step 0.
   p: of the run, which the checkpoint keeps. c: of the job. Returns STATUS_STOPPED, and writes
   nothing, if a stop is requested before the end; else STATUS_DONE. Otherwise as minimise_system.
   Collective. */
int minimise_run(struct sim *s, const struct params *p, struct stop_clock *c);

#endif
