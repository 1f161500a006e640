/* Energies, virial and kinetic sums of a state: the first observer (observers.h). */
#ifndef THERMO_OBSERVER_H
#define THERMO_OBSERVER_H

#include "md/schedule.h"
#include "md/sim.h"

/* Due at reports, for observables that need energies, and at couplings that the host computes. If
   the device computes couplings, due at those after which the state may be written to a file: a
   state whose sums overflow must not be written. Local. */
int thermo_due(const struct sim *s, const struct due *d);
/* Sets s->thermo to that of the present state. sums: those of this rank if the host has them
   already, else NULL. Ends with status 3 if they overflow. Collective. */
void thermo_visit(struct sim *s, struct sums *sums);
/* Computes energies, temperatures and pressure of the present state into s->thermo. Returns
   the number of addends of its sums that were not finite or too large; if there are any, the
   potential energy is set to infinity. Collective. */
int64_t thermo_update(struct sim *s);
/* The same, but ends with status 3 if there are any. Collective. */
void thermo_require_finite(struct sim *s);
/* Ends with status 3 if overflow, the number of addends of the sums of a step that were not
   finite or too large, is not 0. Call it on all ranks. */
void thermo_refuse_overflow(int64_t step, int64_t overflow);

#endif
