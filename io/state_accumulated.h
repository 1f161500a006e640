/* What observables have accumulated, in state files. */
#ifndef STATE_ACCUMULATED_H
#define STATE_ACCUMULATED_H

#include "io/h5.h"
#include "io/h5_read.h"
#include "model/system.h"

/* Writes s->accumulated; nothing if there is none. Collective. */
void state_accumulated_write(const struct h5_file *f, const struct system *s);
/* Reads them into s->accumulated, the numbers on rank 0 only. Errors go to the reader. Local. */
void state_accumulated_read(struct h5_reader *in, const struct ranks *r, struct run_record *run);

#endif
