/* What is measured during a run: energies, virial and kinetic sums (thermo), and the observables of
   the run file (measured.h). */
#ifndef OBSERVERS_H
#define OBSERVERS_H

#include "md/measured.h"
#include "md/schedule.h"
#include "md/sim.h"

/* 1 if any is due at a step. Local. */
int observers_due(const struct sim *s, const struct due *d);
/* What the force calls of a step must compute for those that are due: enum force_flags. Local. */
int observers_force_flags(const struct sim *s, const struct due *d);
/* Measures what is due at the present step. sums: those of this rank if thermo_due and the host has
   them already, else NULL. Ends with status 3 if they overflow. Collective. */
void observers_visit(struct sim *s, struct sums *sums);

/* Energies, virial and kinetic sums are due at reports, for observables that need energies, and at
   couplings that the host computes. If the device computes couplings, they are due at those after
   which the state may be written to a file: a state whose sums overflow must not be written.
   Local. */
int thermo_due(const struct sim *s, const struct due *d);
/* The potential energy of the force calls before, kJ/mol, within a step; s->thermo stays. Ends with
   status 3 if sums overflow. Collective; waits. */
double thermo_potential(struct sim *s);
/* Computes energies, temperatures and pressure of the present state into s->thermo. Returns
   the number of addends of its sums that were not finite or too large; if there are any, the
   potential energy is set to infinity. Collective. */
int64_t thermo_update(struct sim *s);
/* The same, but ends with status 3 if there are any. Collective. */
void thermo_require_finite(struct sim *s);
/* Ends with status 3 if overflow, the number of addends of the sums of a step that were not
   finite or too large, is not 0. Call it on all ranks. */
void thermo_refuse_overflow(int64_t step, int64_t overflow);

/* Samples of the observables: at the steps at which one is due, ranks accumulate and add up what it
   needs, and rank 0 takes its sample, now, or later if the host runs ahead. */

/* For a simulation with observables; NULL otherwise. Local. */
struct sampling *sampling_create(void);
void sampling_destroy(struct sampling *m);
/* What the observables need that are due at a step: bits of enum observe_needs. Local. */
unsigned sampling_needs(const struct sim *s, int64_t step);
/* Takes the samples that are due at the present state. If any needs energies, they must have been
   computed. Collective. */
void sampling_now(struct sim *s);
/* Takes the deferred samples of an earlier step, whose sums are known, if the present step is at
   least `steps` later; what observables have accumulated has all samples after a call with 0. An
   asynchronous backend computes meanwhile. Local. */
void sampling_catch_up(const struct sim *s, int64_t steps);

#endif
