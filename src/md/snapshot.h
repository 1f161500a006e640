/* Beads copied from the backends to the host, and sent from their domains to the blocks of ids in
   which struct system and files keep them. All memory here is host memory. */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "md/sim.h"

/* Bits of what a snapshot copies: bit k is field k. */
enum { SNAPSHOT_ALL_FIELDS = (1 << FIELDS) - 1, SNAPSHOT_FORCE = 1 << FIELDS };

/* The listed dynamic fields, and forces, of the beads that this rank owns. Written by
   md/snapshot.c. */
struct snapshot {
  unsigned fields;
  int n, room; /* beads, and how many fit */
  int64_t *id;
  struct beads beads;
  double *force; /* [room][3], kJ/mol/nm; NULL: none was asked for yet */
};

/* Copies the fields from the backend, and waits for it. to: zero-initialised, or an earlier
   snapshot, whose memory is used again. Status 5 if a halo message was lost. Local. */
void snapshot_take(struct sim *s, unsigned fields, struct snapshot *to);
/* Sends the beads to the ranks that hold their block of ids, into the arrays of y. Uses nothing of
   the simulation, which may advance meanwhile. force: receives the forces, [y->n][3], if they are
   in the snapshot. Status 3 if a bead is missing. Collective over r. */
void snapshot_deliver(const struct snapshot *from, const struct ranks *r, const struct system *y,
                      double *force);
/* The same into arrays of other blocks: rank r has the ids border[r] ... border[r + 1] - 1. step:
   for messages. */
void snapshot_deliver_within(const struct snapshot *from, const struct ranks *r,
                             const int64_t *border, int64_t step, const struct beads *beads,
                             double *force);
void snapshot_free(struct snapshot *p);
/* Takes a snapshot and delivers it to the system of the simulation. Collective. */
void snapshot_collect(struct sim *s, unsigned fields);
/* Forces (kJ/mol/nm) and torques (kJ/mol) of this rank's block of ids, as new arrays [n][3] that
   the caller frees. Collective. */
void snapshot_forces(struct sim *s, double **force, double **torque);

#endif
