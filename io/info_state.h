/* What lamella info prints of a state file, and rows as all of info prints them; to stdout. */
#ifndef INFO_STATE_H
#define INFO_STATE_H

#include "io/h5_read.h"

void info_row(const char *name, const char *value);
void info_box(const double box[3]);
void info_count(const char *name, int64_t count);
/* Reads everything; mistakes go to the reader. */
void info_state(struct h5_reader *in);

#endif
