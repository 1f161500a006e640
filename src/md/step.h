/* One step, one list build: the schedule. */
#ifndef STEP_H
#define STEP_H

#include "md/sim.h"

/* The next step. With GPUs the host may run ahead of the device: then the step counter may go back
   to the step at which the lists had ended, and the steps after it are done again. Whatever is
   asked for (reports, frames, checkpoints, multiples of 100) is settled when this returns, and the
   step at which lists have ended; s->settled tells. */
void step_advance(struct sim *s);
/* keep: build from the build positions of the state, as a restart does. */
void step_rebuild(struct sim *s, int keep);
/* Width of the halo, nm: the list radius, and what it takes to find pairs that lists lack. */
double step_halo(const struct sim *s);
/* What the forces of a step must yield beside themselves: enum force_flags. */
int step_want(const struct sim *s, int64_t step);
int step_report_due(const struct params *p, int64_t step);
/* Pairs inside the cutoff that the list build stored in a state (neighbor_list, build positions)
   leaves out. Beads and lists of the backend are those of a new build then: load them again.
   Collective. */
int64_t step_lists_lack(struct sim *s);

#endif
