/* The last step submitted, and what of it is deferred: its second half kick, and the spreading of
   forces on virtual sites to their parents. The kernels of the next first half do both along with
   their own work; a function that needs the state earlier calls cuda_kick_take and cuda_spread_take
   and does them at once. */
#ifndef CLOCK_CUDA_H
#define CLOCK_CUDA_H

#include "cuda/runtime/gpu.h"

BEGIN_C

/* Written by runtime/clock.c. */
struct gpu_clock {
  uint64_t number;                 /* number of the last step submitted */
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

/* leave: defers a kick of h (ps), or a spread. take: clears what is deferred and returns it; the
   caller does it. */
void cuda_kick_leave(struct gpu *c, double h);
double cuda_kick_take(struct gpu *c);
void cuda_spread_leave(struct gpu *c, int pending);
int cuda_spread_take(struct gpu *c);

END_C

#endif
