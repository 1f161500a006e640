/* A run: the loop over its steps, with its reports and files. */
#ifndef RUN_H
#define RUN_H

#include "md/sim.h"
#include "md/stop.h"

/* Runs to the last step, or until a stop is requested (stop.h), and writes energies, frames,
   checkpoints and the report of performance. append: continue the files of the prefix. c: of the
   job. Returns the exit status: STATUS_DONE or STATUS_STOPPED. Collective. */
int run_all(struct sim *s, int append, struct stop_clock *c);
/* Advances the simulation by the step that begins with the present state, or by a batch of steps
   (the pipeline). If s->runs_ahead, steps are submitted without waiting for them: then s->in_flight
   is 1 when this returns, and a later call may go back to the step at which the lists expired. If
   anything is due at a step (report, frame, checkpoint, check), s->in_flight is 0 after it. Writes
   no files. Collective. */
void run_advance(struct sim *s);

#endif
