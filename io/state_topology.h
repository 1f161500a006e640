/* Reading and checking of the topology of a state file. */
#ifndef STATE_TOPOLOGY_H
#define STATE_TOPOLOGY_H

#include "io/h5_read.h"
#include "io/state_layout.h"
#include "model/system.h"

/* Reads the topology and checks each bonded environment by itself; errors go to the reader.
   Local. */
void state_topology_read(struct h5_reader *in, struct system *s);

/* The rows of its datasets. */
struct state_rows state_topology_rows(struct h5_reader *in);

/* Checks that every term is in the environments of all its beads, and joins beads of one molecule;
   otherwise all ranks get an error. Collective: ranks that already have an error call it too. */
void state_topology_check_terms(struct h5_reader *in, const struct ranks *r,
                                const struct system *s);

#endif
