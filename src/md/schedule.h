/* What is due at a step. The step, the couplings, the pipeline, the observers and the output all
   ask here. The answer depends on the run file and the number of the step only, and so is the same
   on all ranks. All functions are local. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stdint.h>

#include "input/param.h"

/* Steps; at these the state is complete also where the host runs ahead of the device.
   STATE_EVERY_FEW: of systems with few beads on a device, whose steps are short (listcheck.h). */
enum { STATE_EVERY = 100, STATE_EVERY_FEW = 1000 };

/* What the state after a step is used for. */
struct due {
  int64_t step;
  int report;            /* a line of energies */
  int frame, checkpoint; /* files */
  int verify;            /* recomputation of the forces */
  int last;              /* the last step of the run */
  int exchange;          /* an exchange of replicas, before the next step */
  int thermostat,
      barostat; /* a scaling of momenta, and of the box, at the start of the next step */
  int probe;    /* a small move of the box before the state whose barostat is due */
  int momentum; /* removal of the centre-of-mass motion at the start of the next step */
};

struct due schedule_due(const struct params *p, int64_t step);
/* 1 if the step after this state begins with a scaling. */
int due_coupling(const struct due *d);
/* 1 if thermostat, barostat or momentum removal need the sums of this state. */
int due_coupling_sums(const struct due *d);
/* What the force calls of the step must compute in addition to forces: enum force_flags. */
int due_force_flags(const struct due *d);
/* 1 if the host needs the state itself, and not only its sums: for files, a check, because it is
   the last, every so many steps, and after every barostat step while the box is nearly too small
   (box_is_tight). */
int due_state(const struct due *d, int64_t every, int box_is_tight);
/* 1 if step is a multiple of every. every 0: never. */
int schedule_divides(int64_t step, int64_t every);

#endif
