/* Submitting steps without waiting for them. Used on backends with async_ops that search for
   unlisted pairs, if the transport reduces on the device. When the lists of any rank expire at a
   step, the kernels of later steps are no-ops; the host finds out when it drains the pipeline, and
   resumes from that step. Small systems on one rank are submitted as batches of steps (CUDA
   graphs). For simulations with s->runs_ahead only. */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "md/sim.h"

/* Submits the couplings that are due after the present state and the step that begins with it, or a
   batch of steps. m: the parameters of the first. Advances the step of the system. Does not wait
   for the device. Collective. */
void pipeline_submit(struct sim *s, struct integrate_params *m);
/* 1 if the state of the present step is needed or lists are known to have expired; the result is
   kept in s->in_flight. Waits until the device has begun the last submitted step, and so limits how
   far the host runs ahead. The same on all ranks. */
int pipeline_must_drain(struct sim *s);
/* Waits for all submitted steps. If the lists had expired at an earlier step, sets the system back
   to it, builds lists and finishes that step. Then visits the observers that are due. Collective.
 */
void pipeline_drain(struct sim *s);

#endif
