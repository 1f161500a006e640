/* Submitting steps that the host does not wait for, on backends with async_ops that search for
   unlisted pairs, with transports that reduce on the device. When the lists of any rank expire at a
   step, kernels of later steps are no-ops; the host finds out when it drains, and resumes from that
   step. Few beads on one rank are submitted as batches of steps (CUDA graphs). Everything that is
   only about running ahead is here; a synchronous backend calls none of it but pipeline_is_used. */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "md/schedule.h"
#include "md/sim.h"

/* Are steps submitted before it is known whether the lists hold? */
int pipeline_is_used(const struct sim *s);
/* Is the state of a step looked at by the host, whatever its sums are? */
int pipeline_state_needed(const struct sim *s, const struct due *d);
/* The step that begins with the present state, or a batch of steps. */
void pipeline_submit(struct sim *s, struct integrate_params *m);
/* Is the state of the present step needed, or have lists expired? */
int pipeline_must_drain(struct sim *s);
/* Waits for all submitted steps, and takes the sums of the last where they are due. If the lists
   had expired at an earlier step: goes back to it, builds lists, and finishes that step. */
void pipeline_drain(struct sim *s);
/* After a search: reduces over ranks, on the device, whether lists have expired. */
void pipeline_reduce_expired(struct sim *s);

#endif
