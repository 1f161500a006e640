/* Checks that a simulation can continue from the values of a state file. Errors go to the reader
   with their place. Local. */
#ifndef STATE_VALUES_H
#define STATE_VALUES_H

#include "io/h5_read.h"
#include "model/system.h"

/* Reads and checks the system-wide numbers: box, step, time, counters, neighbour list. Needs s->ff.
 */
void state_values_items(struct h5_reader *in, struct system *s);
/* Checks the same numbers of a system in memory. */
void state_values_check(struct h5_reader *in, const struct system *s);
/* Checks bead k of the block: types, molecule, bonded environment, momenta, orientation. Needs
   s->topology. */
void state_values_bead(struct h5_reader *in, const struct system *s, int64_t k);

#endif
