/* Applied forces (model/applied_forces.h) in state files: a group of its own, in files of states
   that have some. */
#ifndef STATE_APPLIED_H
#define STATE_APPLIED_H

#include "io/h5.h"
#include "io/h5_read.h"
#include "model/system.h"

/* Writes those of the present step. Collective. */
void state_applied_write(const struct h5_file *f, const struct system *s);
/* Reads and checks them; a group that is not there: none. n_total: beads of the system; to: NULL,
   only verifies checksums. Local. */
void state_applied_read(struct h5_reader *in, int64_t n_total, struct applied_forces *to);

#endif
