/* The halo exchange: copies of beads that other ranks own. The beads are selected at a list build;
   their positions and axes are updated in each step. */
#ifndef HALO_H
#define HALO_H

#include "backend/backend.h"
#include "mpi/transport/transport.h"

/* Part of a list build, after sort: selects the beads that peers need, exchanges their records, and
   then positions and axes as in a step. d must have the peers that t was opened with. Waits.
   Collective. */
void halo_build(struct transport *t, const struct domain *d, struct backend *b);
/* Packs and sends positions and axes. Other work may be submitted before halo_finish. Does not wait
   for peers. Collective. */
void halo_start(struct transport *t, struct backend *b);
/* Receives and unpacks positions and axes. Waits if the hosts take part in messages; with a
   transport on the device it only enqueues the work. Collective. */
void halo_finish(struct transport *t, struct backend *b);

#endif
