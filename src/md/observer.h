/* Observers: quantities that are measured during a run. An observer is a struct observer and a line
   in the list of observer.c. It says when it is due, what the force calls of that step must compute
   for it, how many bins (64-bit fixed point) it has, how the backend accumulates the part of this
   rank in them, and what is done with their sums over all ranks. Fixed-point sums do not depend on
   the order of beads and ranks. Energies, virial and kinetic sums are the first observer. */
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
  /* The sums over ranks. Returns the array that the caller frees: this one, or, if the observer
     keeps it, the one that it kept before (NULL: none). */
  int64_t *(*take)(struct sim *s, int64_t *bin);
};

/* 1 if any observer is due at a step. Local. */
int observers_due(const struct sim *s, const struct due *d);
/* What the force calls of a step must compute for the observers that are due: enum force_flags.
   Local. */
int observers_force_flags(const struct sim *s, const struct due *d);
/* 1 if energies, virial and kinetic sums are due at a step, which a drain can bring along. Local.
 */
int observers_need_sums(const struct sim *s, const struct due *d);
/* Accumulates, reduces and takes the bins of every observer that is due at the present step. sums:
   those of observers_need_sums on this rank if the host has them already, else NULL. Collective. */
void observers_visit(struct sim *s, struct sums *sums);

/* The same for one observer. Collective. */
void observer_visit(struct sim *s, const struct observer *o);

/* Computes energies, temperatures and pressure of the present state into s->thermo. Returns
   the number of contributions to its sums that were not finite or too large; if there are any, the
   potential energy is set to infinity. Collective. */
int64_t thermo_update(struct sim *s);
/* The same, but ends with status 3 if there are any. Collective. */
void thermo_require_finite(struct sim *s);
/* Ends with status 3 if overflow, the number of contributions to the sums of a step that were not
   finite or too large, is not 0. Call it on all ranks. */
void thermo_refuse_overflow(int64_t step, int64_t overflow);

#endif
