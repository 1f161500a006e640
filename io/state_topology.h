/* The bonded terms of a state file: does every bead of a term know of it, and all in the same way?
 */
#ifndef STATE_TOPOLOGY_H
#define STATE_TOPOLOGY_H

#include "io/h5_read.h"
#include "model/system.h"

/* Reads the topology; every slot alone is right then, or the reader has a mistake. */
void state_topology_read(struct h5_reader *in, struct system *s);

/* A term that only some of its beads know, or that joins two molecules, is a mistake on all ranks.
   Collective: also called by a rank that has a mistake already. */
void state_topology_check_terms(struct h5_reader *in, const struct ranks *r,
                                const struct system *s);

#endif
