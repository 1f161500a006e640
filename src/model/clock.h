/* The clock of a system: how far its run has come. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

#include "base/hd.h"

/* Written by model/clock.c. */
struct clock {
  int64_t step; /* steps done since the start */
  double time;  /* ps */
  /* Origin: time = origin_time + (step - origin_step) dt. Reset when the time step changes. */
  int64_t origin_step;
  double origin_time;
  uint64_t seed; /* of all noise, whose counter is the step (base/rng.h) */
};

/* The time, ps, of a step of dt (ps). On host and device. */
HD double clock_time(const struct clock *c, int64_t step, double dt)
{
  return c->origin_time + (double)(step - c->origin_step) * dt;
}

/* Step 0 of a run: time and origin are 0 too. */
void clock_begin(struct clock *c, uint64_t seed);
/* The system has come to this step, with a time step of dt (ps); it may be an earlier one again. */
void clock_advance(struct clock *c, int64_t step, double dt);
/* Step and time (ps) are those of a frame or of another state, and the origin of later ones. */
void clock_set(struct clock *c, int64_t step, double time);
/* Makes the present step the origin; call before the time step changes. */
void clock_reset_origin(struct clock *c);
void clock_set_seed(struct clock *c, uint64_t seed);
/* Copies a clock. Times follow from it by clock_time of this dt: where another one has led to its
   step, that becomes the origin. */
void clock_copy(struct clock *to, const struct clock *from, double dt);
/* All members, of a state that was stored. */
void clock_restore(struct clock *c, const struct clock *stored);

#endif
