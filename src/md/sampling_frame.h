/* The state of a step for observables: each rank has the beads of its share (observe/share.h). */
#ifndef SAMPLING_FRAME_H
#define SAMPLING_FRAME_H

#include "md/snapshot.h"
#include "observe/observable.h"

/* Arrays are used again at the next step. Host memory. Written by md/sampling_frame.c. */
struct sampling_frame {
  struct observe_frame frame;
  struct beads beads;     /* of the share, in order of id */
  struct snapshot own;    /* of the beads that this rank owns */
  int64_t centre_word[2]; /* of TALLY_CENTRE */
  struct thermo state;    /* energies and pressure, if they are needed */
};

/* Sets what the needs (enum observe_needs) name. Collective. */
void sampling_frame_take(struct sim *s, const struct observe_system *a, unsigned needs,
                         struct sampling_frame *to);
void sampling_frame_free(struct sampling_frame *to);

#endif
