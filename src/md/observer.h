/* An observer is a quantity that is measured during a run. It says when it is due, what the force
   calls of that step must compute for it, how many bins (64-bit fixed point) it has, how the
   backend accumulates the part of this rank in them, and what is done with their sums over all
   ranks. Fixed-point sums do not depend on the order of beads and ranks. The observers of a run
   stand in a list in observers.c. */
#ifndef OBSERVER_H
#define OBSERVER_H

#include "md/schedule.h"
#include "md/sim.h"

struct observer {
  const char *name;
  enum timer timer; /* phase of the run */
  int (*due)(const struct sim *s, const struct due *d);
  /* What the force calls of a step must compute if the observer is due: enum force_flags. */
  int (*force_flags)(const struct sim *s, const struct due *d);
  int (*bins)(const struct sim *s);
  void (*accumulate)(struct sim *s, int64_t *bin); /* of this rank; host memory */
  /* Takes `bin`, the sums over ranks. Returns an array that the caller frees, or NULL. */
  int64_t *(*take)(struct sim *s, int64_t *bin);
};

/* Adds n words of this rank up over ranks, in place. Collective. */
void observer_sum(struct sim *s, int64_t *bin, int n);
/* Accumulates, reduces and takes the bins of an observer at the present step. Collective. */
void observer_visit(struct sim *s, const struct observer *o);

#endif
