/* 64-bit fingerprints that tell states and texts apart. They are no protection against forgery. */
#ifndef FINGERPRINT_H
#define FINGERPRINT_H

#include "input/param.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* The fingerprint of bytes, after that of others (0: none), and that of a string. Local. */
uint64_t fingerprint_bytes(uint64_t hash, const void *data, size_t bytes);
uint64_t fingerprint_text(const char *text);
/* The fingerprint of the state that a run starts from: number of beads, box, bead arrays, topology
   and force field. Step, time, seed, counters and neighbour list do not count, since a new run
   resets them. It is a sum over beads and so the same on any number of ranks. Never 0.
   Collective. */
uint64_t fingerprint_state(const struct ranks *r, const struct system *s);
/* The seed of a new run: run.seed, or with auto a hash, below 2^63, of the input state and of all
   keys that the trajectory depends on, except those of neighbour lists and precision. So runs at
   different temperatures, pressures or time steps have different noise. run.replica gives each
   replica a seed of its own. Local. */
uint64_t fingerprint_seed(uint64_t input_hash, const struct params *p);
/* Sets the identity of a new run in s->run: from its input state (input_hash), force field, seed,
   step, and the keys that the trajectory depends on. The same command gives the same identity.
   Local. */
void fingerprint_set_run(struct system *s, const struct params *p);

#endif
