/* Checks a running simulation against a recomputation. */
#ifndef VERIFY_H
#define VERIFY_H

#include "md/sim.h"

/* Recomputes the forces and torques of the present state on the cpu backend in double, with lists
   of its own, and reports the worst deviation relative to the largest; status 3 where it is more
   than the precision of the run explains. Collective. */
void verify_forces(struct sim *s);

#endif
