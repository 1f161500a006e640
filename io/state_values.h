/* Values of a state file that a simulation can go on from: each mistake with its place, to the
   reader. Local. */
#ifndef STATE_VALUES_H
#define STATE_VALUES_H

#include "io/h5_read.h"
#include "model/system.h"

/* Reads and checks the numbers of the whole: box, step, time, counters, neighbour list. Items that
   an older format lacks are set. The force field of s is there. */
void state_values_items(struct h5_reader *in, struct system *s);
/* The same numbers of a system that is there. */
void state_values_check(struct h5_reader *in, const struct system *s);
/* Checks bead k of the block: types, molecule, bonded environment, momenta, orientation. The
   topology of s is there. */
void state_values_bead(struct h5_reader *in, const struct system *s, int64_t k);

#endif
