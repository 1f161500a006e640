/* The last step submitted, and what of it is deferred: its second half kick, and the spreading of
   forces on virtual sites to their parents. The kernels of the next first half do both along with
   their own work; a function that needs the state earlier does them at once (step/step.h:
   cuda_apply_pending_kick, cuda_apply_pending_spread). */
#ifndef CLOCK_CUDA_H
#define CLOCK_CUDA_H

#include "cuda/runtime/gpu.h"

BEGIN_C

/* What a linked integration may be chained to: the forces, if the second half kick is deferred; or
   a coupling. */
enum clock_linked { LINKED_NOT, LINKED_FORCES, LINKED_COUPLING };

/* Written by runtime/clock.c. */
struct gpu_clock {
  uint64_t number;                 /* number of the last step submitted */
  int linked;                      /* enum clock_linked */
  int parity;                      /* of that step: number of steps submitted modulo 2 */
  int reduce_expired, box_changes; /* of its struct integrate_params */
  int pending_spread;              /* 1: the forces on virtual sites have not been spread yet */
  double pending_kick;             /* ps; duration of a deferred second half kick; 0: none */
};

void cuda_clock_open(struct gpu *c);
/* Sets the number of the state that the next first half starts from, on host and device. */
void cuda_step_set(struct gpu *c, int64_t step);
/* Begins a step: number, parity and parameters, on the host. */
void cuda_step_begin(struct gpu *c, const struct integrate_params *m);
/* After the launch of a graph of steps, each of dt (ps): number, parity and what is deferred. */
void cuda_steps_launched(struct gpu *c, int64_t steps, double dt, int pending_spread);
/* Goes back to a step whose forces and second half are to be done again. */
void cuda_step_back(struct gpu *c, int64_t step);

/* Sets `linked`. */
void cuda_clock_link(struct gpu *c, int linked);
/* Defer a kick of h (ps; 0: none), or a spread, and return what was deferred before, which the
   caller does. */
double cuda_kick_defer(struct gpu *c, double h);
int cuda_spread_defer(struct gpu *c, int pending);

END_C

#endif
