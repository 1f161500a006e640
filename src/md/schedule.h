/* What is due at a step: the one place that the step, the couplings, the pipeline and the output
   ask. A function of the run file and the number of the step alone, so all ranks agree on it. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stdint.h>

#include "input/param.h"

/* What the state after a step is needed for. */
struct due {
  int64_t step;
  int report;               /* a line of energies */
  int frame, checkpoint;    /* files */
  int verify;               /* recomputation of the forces */
  int last;                 /* the last step of the run */
  int thermostat, barostat; /* that scale momenta, and the box, before the step after it */
  int momentum;             /* removal of the motion of the centre of mass, likewise */
};

struct due schedule_due(const struct params *p, int64_t step);
/* Do thermostat, barostat or momentum removal need the sums of this state? */
int due_coupling(const struct due *d);
/* What the forces of the step must yield beside themselves: enum force_flags. */
int due_force_flags(const struct due *d);
/* Does the host look at the state itself: for files, a check, or the end? */
int due_state(const struct due *d);
/* Is a multiple of an interval due? 0: never. */
int schedule_divides(int64_t step, int64_t every);

#endif
