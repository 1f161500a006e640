/* Degrees of freedom that the constraints of a cluster take from each of its beads. In equilibrium
   momenta are distributed as those that fulfil the constraints where the beads are. So the mean of
   p_i^2/m_i is kT times 3 less the trace of the block of bead i in the projector onto the
   constrained directions, in coordinates weighted with the square roots of the masses. Of a single
   constraint it is m_j/(m_i + m_j). Host memory. */
#ifndef CLUSTER_FREEDOM_H
#define CLUSTER_FREEDOM_H

#include "observe/observable.h"

struct cluster_freedom;

/* In memory of the observable. */
struct cluster_freedom *cluster_freedom_create(struct observable *o, const struct forcefield *ff);
/* vector: [constraints][3], from one bead of each constraint to the other, in any unit. Returns
   [beads] of the cluster type, which are valid until the next call. Their sum is the number of
   independent constraints. */
const double *cluster_freedom_taken(struct cluster_freedom *c, int cluster,
                                    const double (*vector)[3]);

#endif
