/* Takes the samples of the observables of a simulation (measured.h): at the steps at which one is
   due, ranks accumulate and add up what it needs, and rank 0 takes its sample. */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "md/measured.h"
#include "md/sim.h"

/* For a simulation with observables; NULL otherwise. Local. */
struct sampling *sampling_create(void);
void sampling_destroy(struct sampling *m);
/* 1 if an observable is due at a step. Local. */
int sampling_due(const struct sim *s, int64_t step);
/* What the observables need that are due at a step: bits of enum observe_needs. Local. */
unsigned sampling_needs(const struct sim *s, int64_t step);
/* Accumulates what the observables need that are due at the present step, and adds it up over
   ranks. Their samples are taken now, or later if the host runs ahead. Collective. */
void sampling_visit(struct sim *s);
/* Takes the samples that are due at the present state. If any needs energies, they must have been
   computed. Collective. */
void sampling_now(struct sim *s);
/* Takes the deferred samples of an earlier step, whose sums are known, if the present step is at
   least `steps` later; what observables have accumulated has all samples after a call with 0. An
   asynchronous backend computes meanwhile. Local. */
void sampling_catch_up(const struct sim *s, int64_t steps);

#endif
