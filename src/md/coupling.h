/* When thermostats and barostats act, and with which parameters: scaling that is a function of a
   finished state and acts on the next step. Langevin noise is in the integrator. */
#ifndef COUPLING_H
#define COUPLING_H

#include "dynamics/couple_body.h"
#include "md/schedule.h"
#include "md/sim.h"

/* What is due after a step, and its parameters from the run file; the rest is 0. */
struct coupling_params coupling_rules(const struct params *p, int64_t step);
/* Box and thresholds of the present state, as backends are told. */
struct coupling_state coupling_state_of(const struct sim *s);
/* The scaling of the step that begins with the present state: into m where the host computes it,
   else the device does, and keeps it. */
void coupling_apply(struct sim *s, struct integrate_params *m);
/* Takes over the box and the work of couplings that the device has done. Waits for it. */
void coupling_take(struct sim *s);

#endif
