/* The order of operations of a step. */
#ifndef STEP_H
#define STEP_H

#include "md/sim.h"

/* Runs one step; on an asynchronous backend, submits it. Collective. */
void step_enqueue(struct sim *s, const struct integrate_params *m);
/* Finishes the present step, whose lists have expired: new lists, forces, second half kick.
   Collective. */
void step_resume(struct sim *s);

#endif
