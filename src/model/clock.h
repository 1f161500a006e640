/* The clock of a system: how far its run has come. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/* Written by model/clock.c. */
struct clock {
  int64_t step; /* steps done since the start */
  double time;  /* ps */
  /* Origin: time = origin_time + (step - origin_step) dt. Reset when the time step changes. */
  int64_t origin_step;
  double origin_time;
  uint64_t seed; /* of all noise, whose counter is the step (base/rng.h) */
};

/* Step 0 of a run: time and origin are 0 too. */
void clock_begin(struct clock *c, uint64_t seed);
/* The system has come to this step, with a time step of dt (ps); it may be an earlier one again. */
void clock_advance(struct clock *c, int64_t step, double dt);
/* Step and time (ps) are those of a frame or of another state; the origin stays. */
void clock_set(struct clock *c, int64_t step, double time);
/* Makes the present step the origin; call before the time step changes. */
void clock_reset_origin(struct clock *c);
void clock_set_seed(struct clock *c, uint64_t seed);
/* All members, of a state that was stored. */
void clock_restore(struct clock *c, const struct clock *stored);

#endif
