/* Migration of beads to their owners, at list builds. */
#ifndef MIGRATE_H
#define MIGRATE_H

#include "backend/backend.h"
#include "mpi/transport/transport.h"

/* Sends every bead of the backend to the rank that owns it in d, which may be any rank. Messages to
   peers that fit the halo buffers go by the transport, the others through host memory and MPI.
   Waits. Collective. */
void migrate_beads(const struct domain *d, struct transport *t, struct backend *b);

#endif
