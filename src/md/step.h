/* The order of operations of a step. */
#ifndef STEP_H
#define STEP_H

#include "md/sim.h"

/* Advances the simulation by the step that begins with the present state, or by a batch of steps
   (pipeline.h). On GPUs the host may submit steps without waiting for them: then s->drained is 0
   when this returns, and a later call may go back to the step at which the lists expired. If
   anything is due at a step (report, frame, checkpoint, check), s->drained is 1 after it.
   Collective.
 */
void step_advance(struct sim *s);
/* Runs one step; on an asynchronous backend, submits it. Collective. */
void step_enqueue(struct sim *s, const struct integrate_params *m);
/* Finishes the present step, whose lists have expired: new lists, forces, second half kick.
   Collective. */
void step_resume(struct sim *s);

#endif
