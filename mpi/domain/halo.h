/* Copies of the neighbours' beads: chosen at a list build, refreshed each step. */
#ifndef HALO_H
#define HALO_H

#include "backend/backend.h"
#include "mpi/domain/slab.h"
#include "mpi/transport/transport.h"

/* After sort: chooses, sends and receives whole records, then positions and axes. Collective. */
void halo_build(struct transport *t, const struct slab *s, struct backend *b);
/* Positions and axes of a step; other work may be done between the two. */
void halo_start(struct transport *t, struct backend *b);
/* Waits. Where lists have expired meanwhile, a list build replaces what was unpacked. */
void halo_finish(struct transport *t, struct backend *b);

#endif
