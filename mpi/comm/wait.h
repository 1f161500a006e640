/* How a rank waits for others. MPI polls: a waiting rank keeps its core busy, which is fastest
   if each rank has a core of its own. If ranks outnumber the cores, a waiting rank gives its core
   away: it polls for some microseconds and then sleeps between tests. Results do not depend on it.
   */
#ifndef WAIT_H
#define WAIT_H

#include <mpi.h>

#include "mpi/comm/ranks.h"

enum { WAIT_UNKNOWN = -1 };

/* Before MPI_Init. Whether the waits of this process give the core away: what the user has said by
   the parameter `yield` of the implementation (implementation.h); else 1 if the launcher says that
   the ranks outnumber its slots, or the cores that they share. MPI's own waits then yield too, if
   its implementation can. Else WAIT_UNKNOWN. Local. */
int wait_choose(void);
/* After MPI_Init, on all ranks, with those of this node: the same answer for all. Where nobody has
   said, 1 if the ranks of a node outnumber the cores to which any of them may go. Collective. */
int wait_chosen(int choice, MPI_Comm node, MPI_Comm all);

/* MPI_Waitall of n requests; wait_testing tests, with wait_pause between. Local. */
void wait_requests(const struct ranks *r, int n, MPI_Request *request);
void wait_testing(int gives_core, int n, MPI_Request *request);

/* Call it in a loop that waits since `from` (MPI_Wtime): returns at once for some microseconds, and
   later sleeps, or yields where the waits keep the core. Local. */
void wait_pause(int gives_core, double from);

/* Before a blocking collective call. If waits give the core away, it is a barrier, so that no rank
   polls for long within the call; else it does nothing. */
void wait_collective(const struct ranks *r);

#endif
