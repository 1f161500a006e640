/* 64-bit fingerprints: to tell a state or a text from another one, not to withstand an adversary.
 */
#ifndef FINGERPRINT_H
#define FINGERPRINT_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

uint64_t fingerprint_text(const char *text);
/* Of what a run that starts from this state begins with: number of beads, box, bead arrays,
   topology and force field; not of step, time, seed, counters and neighbour list, which a start
   sets anew. A sum over beads, so the same on any number of ranks. Never 0. Collective. */
uint64_t fingerprint_state(const struct ranks *r, const struct system *s);

#endif
