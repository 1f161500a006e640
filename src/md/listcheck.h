/* Do the neighbour lists still hold after a move? Three policies:
   - displacements: lists expire when a bead of any rank has come so far that a pair that they lack
     may be inside the cutoff. The maximum over ranks travels while interior forces are computed.
   - interval: lists expire after neighbor.every steps (neighbor.rebuild: interval).
   - search: backends with async_ops search, after the halo exchange, for pairs inside the cutoff
     that the lists lack. Where the host does not wait (pipeline.h) the answer stays on the devices,
     whose ranks reduce it, and no step expires for the host before it drains.
   Every rank comes to the same answer. */
#ifndef LISTCHECK_H
#define LISTCHECK_H

#include "md/sim.h"

int listcheck_searches(const struct sim *s);
/* What the integrator is told of the policy. */
enum list_expiry listcheck_policy(const struct sim *s);
/* Width of the halo, nm: the list radius, and with search half a skin more, so that displaced beads
   find all that they may have met. */
double listcheck_halo(const struct sim *s);
/* After the move to a step and before its halo exchange. 1: the lists are known to have expired. */
int listcheck_begin(struct sim *s);
/* After the halo exchange. 1: the lists have expired. Collective. */
int listcheck_end(struct sim *s);

#endif
