/* Verification of a running simulation. */
#ifndef VERIFY_H
#define VERIFY_H

#include "md/sim.h"

/* Recomputes forces and torques of the present state on the CPU backend in double precision, with
   lists of its own, and logs the largest deviation relative to the largest force and torque. Status
   3 if it exceeds the rounding errors of the run's precision. Collective. */
void verify_forces(struct sim *s);

#endif
