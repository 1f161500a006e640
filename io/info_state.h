/* Summary of a state file, and the rows that all summaries consist of. To stdout; local. */
#ifndef INFO_STATE_H
#define INFO_STATE_H

#include "base/box.h"
#include "io/h5_read.h"

/* A row: a name, and what printf would print. */
__attribute__((format(printf, 2, 3))) void info_row(const char *name, const char *format, ...);
void info_box(const double box[BOX]);
void info_count(const char *name, int64_t count);
/* The row of the identity of the run, if the object ("/": the root) has one. */
void info_run(struct h5_reader *in, const char *object);
/* Reads and checks the whole file and prints its summary; errors go to the reader. */
void info_state(struct h5_reader *in);

#endif
