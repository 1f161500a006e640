/* Energies, virial, temperatures and pressure of the present state: the first observer. */
#ifndef THERMO_OBSERVER_H
#define THERMO_OBSERVER_H

#include "md/observer.h"

extern const struct observer thermo_observer;

/* What the observer does with its sums, from those of this rank that the host has already.
 * Collective. */
void thermo_take(struct sim *s, struct sums *sums);

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
