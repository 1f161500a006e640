/* What is measured during a run: energies (thermo_observer.h), and the observables of the run file
   (sampling.h). */
#ifndef OBSERVERS_H
#define OBSERVERS_H

#include "md/schedule.h"
#include "md/sim.h"

/* 1 if any is due at a step. Local. */
int observers_due(const struct sim *s, const struct due *d);
/* What the force calls of a step must compute for those that are due: enum force_flags. Local. */
int observers_force_flags(const struct sim *s, const struct due *d);
/* 1 if energies, virial and kinetic sums are due at a step; pipeline_drain fetches them with the
   state. Local. */
int observers_need_sums(const struct sim *s, const struct due *d);
/* Measures what is due at the present step. sums:
   those of observers_need_sums on this rank if the host has them already, else NULL. Collective. */
void observers_visit(struct sim *s, struct sums *sums);

#endif
