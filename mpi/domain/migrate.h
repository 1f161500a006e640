/* Beads that change owner, at list builds. */
#ifndef MIGRATE_H
#define MIGRATE_H

#include "backend/backend.h"
#include "mpi/transport/transport.h"

/* Sends every bead of the backend to the rank that owns it in d, whichever that is: to peers by the
   transport, as far as its buffers have room, and else through hosts and MPI. Collective. */
void migrate_beads(const struct domain *d, struct transport *t, struct backend *b);

#endif
