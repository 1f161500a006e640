/* Creates a simulation: backend, transport, domains, beads, first lists and forces. */
#ifndef SIMULATION_H
#define SIMULATION_H

#include "md/sim.h"

/* What a simulation is for. The list builds of a run verify that bonded terms are not too long, and
   its regions have room for every skin that it may choose. Only the minimiser takes beads that lie
   on one point. */
enum sim_purpose { SIM_RUN, SIM_STATE, SIM_MINIMISE };

/* Chooses backend and transport, distributes the beads over ranks, builds lists, and computes
   forces and observables of the state. If the state has a list build (a restart), that build is
   repeated. ranks, parameters and system must outlive the
   simulation. Status 2 if parameters and system do not fit together; status 3 if a list build finds
   a broken state; status 4 if a state and its list build do not belong together. Collective. */
struct sim *sim_create(struct ranks *r, const struct params *p, struct system *s,
                       enum sim_purpose purpose);
/* A simulation without backend, transport and regions: what follows from parameters and system
   alone. Status 2 if these do not fit together. Collective. */
struct sim *sim_outline(struct ranks *r, const struct params *p, struct system *y);
/* Loads the system, whose beads are those of a block of ids on each rank, onto the backend: without
   lists and halo. Collective. */
void sim_load(struct sim *s);
/* s may be NULL. Collective. */
void sim_destroy(struct sim *s);
/* Parameters of a reference simulation, with which others are compared: CPU backend, double
   precision, automatic skin, no files, and defaults for the rest. The caller destroys them with
   params_destroy. Local. */
struct params *sim_params_reference(void);

#endif
