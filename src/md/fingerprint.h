/* 64-bit fingerprints that tell states and texts apart. They are no protection against forgery. */
#ifndef FINGERPRINT_H
#define FINGERPRINT_H

#include "input/param.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* The fingerprint of a string. Local. */
uint64_t fingerprint_text(const char *text);
/* The fingerprint of the state that a run starts from: number of beads, box, bead arrays, topology
   and force field. Step, time, seed, counters and neighbour list do not count, since a new run
   resets them. It is a sum over beads and so the same on any number of ranks. Never 0.
   Collective. */
uint64_t fingerprint_state(const struct ranks *r, const struct system *s);
/* The seed of a run that begins: run.seed, or for auto a number below 2^63 from the input state and
   the physics of the run, that is the keys that the trajectory depends on but those of neighbour
   lists and precision. So runs at other temperatures, pressures or time steps have other noise.
   run.replica gives each replica a seed of its own. Local. */
uint64_t fingerprint_seed(uint64_t input_hash, const struct params *p);
/* Sets s->run, the identity of a run that begins now: from its input state (input_hash), force
   field, seed, step, and the keys that the trajectory depends on. The same command gives the same
   identity. Local. */
void fingerprint_set_run(struct system *s, const struct params *p);

#endif
