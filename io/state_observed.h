/* What observables have accumulated, in state files. */
#ifndef STATE_OBSERVED_H
#define STATE_OBSERVED_H

#include "io/h5.h"
#include "io/h5_read.h"
#include "model/system.h"

/* Writes s->observed; nothing if there is none. Collective. */
void state_observed_write(const struct h5_file *f, const struct system *s);
/* Reads them into s->observed, the numbers on rank 0 only. Errors go to the reader. Local. */
void state_observed_read(struct h5_reader *in, const struct ranks *r, struct system *s);

#endif
