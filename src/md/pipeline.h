/* Submitting steps without waiting for them. Used on backends with async_ops that search for
   unlisted pairs, if the transport reduces on the device. When the lists of any rank expire at a
   step, the kernels of later steps are no-ops; the host finds out when it drains the pipeline, and
   resumes from that step. Small systems on one rank are submitted as batches of steps (CUDA
   graphs). This module has all that concerns running ahead; of its functions a synchronous backend
   runs pipeline_is_used alone. */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "md/schedule.h"
#include "md/sim.h"

/* 1 if steps are submitted before it is known whether the lists hold. Local; the same on all ranks.
 */
int pipeline_is_used(const struct sim *s);
/* 1 if the host needs the state itself after a step, apart from its sums: for a file or a check, at
   least every 100 steps, and after every barostat step while the box is nearly too small. Local. */
int pipeline_state_needed(const struct sim *s, const struct due *d);
/* Submits the step that begins with the present state, or a batch of steps. m: the parameters of
   the first. Advances the step of the system. Does not wait for the device. Collective. */
void pipeline_submit(struct sim *s, struct integrate_params *m);
/* 1 if the state of the present step is needed or lists are known to have expired; the result is
   kept in s->drained. Waits until the device has begun the last submitted step, and so limits how
   far the host runs ahead. The same on all ranks. */
int pipeline_must_drain(struct sim *s);
/* Waits for all submitted steps. If the lists had expired at an earlier step, sets the system back
   to it, builds lists and finishes that step. Then visits the observers that are due. Collective.
 */
void pipeline_drain(struct sim *s);
/* Called after a search: reduces over ranks, on the device, whether lists have expired. Does not
   wait. Collective. */
void pipeline_reduce_expired(struct sim *s);

#endif
