/* Copies of beads that other ranks own: chosen at a list build, brought up to date in each step. */
#ifndef HALO_H
#define HALO_H

#include "backend/backend.h"
#include "mpi/transport/transport.h"

/* After sort: chooses the beads that peers need, sends and receives whole records of them, then
   their positions and axes as in a step. The peers of d are those that t was opened with.
   Collective. */
void halo_build(struct transport *t, const struct domain *d, struct backend *b);
/* Packs and sends positions and axes of a step. Other work may be done between the two. */
void halo_start(struct transport *t, struct backend *b);
/* Waits for those of the peers and unpacks them. Where lists have expired meanwhile, a list build
   replaces what was unpacked. */
void halo_finish(struct transport *t, struct backend *b);

#endif
