/* 64-bit fingerprints that tell states and texts apart. They are no protection against forgery. */
#ifndef FINGERPRINT_H
#define FINGERPRINT_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* The fingerprint of a string. Local. */
uint64_t fingerprint_text(const char *text);
/* The fingerprint of the state that a run starts from: number of beads, box, bead arrays, topology
   and force field. Step, time, seed, counters and neighbour list do not count, since a new run
   resets them. It is a sum over beads and so the same on any number of ranks. Never 0.
   Collective. */
uint64_t fingerprint_state(const struct ranks *r, const struct system *s);

#endif
