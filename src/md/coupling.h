/* Thermostats and barostats that scale momenta and the box: when they act and with which
   parameters. Their scaling is computed from a finished state and applied by the first half of the
   next step. Langevin noise is part of the integrator (dynamics/move_body.h). */
#ifndef COUPLING_H
#define COUPLING_H

#include "dynamics/couple_body.h"
#include "md/schedule.h"
#include "md/sim.h"

/* The parameters of the couplings that are due after a step, at a time (ps), as the run file sets
   them. Parameters that follow from the system (degrees of freedom, mass, build box, ...) are 0. */
struct coupling_params coupling_rules(const struct params *p, int64_t step, double time);
/* The present box, work, and displacement thresholds of the lists, for set_box of a backend. */
struct coupling_state coupling_state_of(const struct sim *s);
/* Computes the scaling of the step that begins with the present state, if a coupling is due, for
   hosts that do not run ahead; box and work of the system are updated. A synchronous backend: on
   the host, from s->thermo, into m->scaling. A backend with async_ops: on the device, from sums
   that are reduced over ranks there; the host waits. Collective. */
void coupling_apply(struct sim *s, struct integrate_params *m);
/* Sets *how to the parameters of the couplings that are due after the present state and returns 1;
   0 if none is due. Local. */
int coupling_params_due(const struct sim *s, struct coupling_params *how);
/* Enqueues coupling, and the sums that it needs, on a backend with async_ops, without waiting.
   Collective. */
void coupling_enqueue(struct sim *s, const struct coupling_params *how);
/* Waits for the device and copies box and work of its last coupling to the system. Status 3 if the
   sums of that coupling overflowed; status 5 if a halo message was lost. Does nothing on a
   synchronous backend. Local. */
void coupling_fetch(struct sim *s);

#endif
