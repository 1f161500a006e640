/* Makes a simulation: backend, transport, domains, beads, first lists and forces. */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "md/sim.h"

/* Chooses backend and transport, distributes the beads, builds lists and computes forces of the
   state. A state with lists (a restart) gets the same ones. checks: of list builds. Collective. */
struct sim *sim_create(struct ranks *r, const struct params *p, struct system *s,
                       enum build_checks checks);
void sim_destroy(struct sim *s);
/* Defaults of all keys for a simulation that others are compared with: CPU, double precision, the
   skin chosen by the program, no files. The caller destroys them. */
struct params *sim_params_reference(void);

#endif
