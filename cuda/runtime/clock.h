/* The step that was submitted last, and what is left undone of it: the next first half does that in
   one pass with its own work, or whoever needs the state takes it and does it before. */
#ifndef CLOCK_CUDA_H
#define CLOCK_CUDA_H

#include "cuda/runtime/gpu.h"

BEGIN_C

/* Written by runtime/clock.c. */
struct gpu_clock {
  uint64_t number;                 /* of the last step submitted */
  int parity;                      /* of that step: alternates between 0 and 1 */
  int reduce_expired, box_changes; /* of its struct integrate_params */
  int pending_spread;              /* 1: the forces on virtual sites are not spread yet */
  double pending_kick; /* ps; duration of a second half kick that is not done yet; 0: none */
};

void cuda_clock_open(struct gpu *c);
/* Sets the step that the next first half begins, on host and device. */
void cuda_step_set(struct gpu *c, int64_t step);
/* The first half of a step begins, as m says. */
void cuda_step_begin(struct gpu *c, const struct integrate_params *m);
/* A graph of steps has been launched, each of dt (ps). */
void cuda_steps_launched(struct gpu *c, int64_t steps, double dt, int pending_spread);
/* Goes back to the end of a step whose forces and second half are to be done again. */
void cuda_step_back(struct gpu *c, int64_t step);

/* leave: it is to be done later. take: returns what is to be done now, by the caller: after that it
   is pending no more. */
void cuda_kick_leave(struct gpu *c, double h);
double cuda_kick_take(struct gpu *c);
void cuda_spread_leave(struct gpu *c, int pending);
int cuda_spread_take(struct gpu *c);

END_C

#endif
