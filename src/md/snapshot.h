/* Beads as they are on the backends, copied to the host and sent to the blocks of ids of the system
   (struct system). Host memory. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "md/sim.h"

enum { SNAPSHOT_ALL_FIELDS = (1 << FIELDS) - 1 };

/* The listed dynamic fields (bit k: field k) of the beads of this rank. */
struct snapshot {
  unsigned fields;
  int n, room;
  int64_t *id;
  struct beads beads;
};

/* Copies the fields from the backend. Local. A snapshot that is all zero is empty; the next one
   uses its memory again. */
void snapshot_take(struct sim *s, unsigned fields, struct snapshot *to);
/* Sends them to the blocks of y. Collective over r; touches nothing of the simulation, which may go
   on meanwhile. Status 3 where a bead is missing. */
void snapshot_deliver(const struct snapshot *from, const struct ranks *r, struct system *y);
void snapshot_free(struct snapshot *p);
/* All of that at once, into the system of the simulation. Collective. */
void snapshot_collect(struct sim *s, unsigned fields);
/* Forces (kJ/mol/nm) and torques (kJ/mol) of this rank's block of ids, [n][3] each, in memory that
   the caller frees. Collective. */
void snapshot_forces(struct sim *s, double **force, double **torque);

#endif
