/* The state of a step, gathered on every rank for observables. */
#ifndef MEASURE_FRAME_H
#define MEASURE_FRAME_H

#include "md/sim.h"
#include "observe/observable.h"

/* Arrays of all beads in order of id, used again at the next step. Host memory. */
struct measure_frame {
  struct observe_frame frame;
  struct beads all;
};

/* Gathers what the needs (enum observe_needs) name. has_spin 0: angular momenta are not known.
   Collective. */
void measure_frame_take(struct sim *s, const struct observe_system *a, unsigned needs, int has_spin,
                        struct measure_frame *to);
void measure_frame_free(struct measure_frame *to);

#endif
