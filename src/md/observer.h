/* Observers: what is measured of states while a run goes on. One is a struct observer and a line in
   the list of observer.c: when it is due, what the forces of that step must yield for it, how many
   64-bit fixed-point bins it has, how a backend adds this rank's part to them (operation
   accumulate), and what becomes of their sums over all ranks. Fixed point, so that the order of
   beads and ranks cannot matter. Energies, virial and kinetic sums are the first. */
#ifndef OBSERVER_H
#define OBSERVER_H

#include "md/schedule.h"
#include "md/sim.h"

struct observer {
  const char *name;
  int (*due)(const struct sim *s, const struct due *d);
  /* Of the forces of a step at which it is due: enum force_flags. */
  int (*force_flags)(const struct sim *s, const struct due *d);
  int (*bins)(const struct sim *s);
  void (*accumulate)(struct sim *s, int64_t *bin);
  void (*take)(struct sim *s, int64_t *bin); /* summed over ranks */
};

/* Is any observer due at a step? */
int observers_due(const struct sim *s, const struct due *d);
int observers_force_flags(const struct sim *s, const struct due *d);
/* Visits all that are due at the present step. sums: those of this rank, where the host has them
   already, else NULL. Collective. */
void observers_visit(struct sim *s, struct sums *sums);

/* Energies, temperatures and pressure of the present state into s->now. Returns the number of parts
   of its sums that were not finite or did not fit: then the potential energy is infinite.
   Collective. */
int64_t observe_state(struct sim *s);
/* The same; status 3 where anything did not fit. */
void observe_state_finite(struct sim *s);
/* Status 3 where parts of the sums of a step did not fit. */
void observe_refuse_overflow(int64_t step, int64_t overflow);

#endif
