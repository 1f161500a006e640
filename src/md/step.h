/* The order of a step. */
#ifndef STEP_H
#define STEP_H

#include "md/sim.h"

/* The step that begins with the present state, or several (pipeline.h). On GPUs the host may submit
   steps without waiting for them: then s->drained is 0 when this returns, and a later call may go
   back to the step at which lists expired. Whatever is due at a step (reports, frames, checkpoints,
   checks) finds the state of that step drained. Collective. */
void step_advance(struct sim *s);
/* Submits a step to the backend: all of it where the backend is synchronous. */
void step_enqueue(struct sim *s, const struct integrate_params *m);
/* The rest of the present step, whose lists have expired: new lists, forces, second half kick. */
void step_resume(struct sim *s);

#endif
