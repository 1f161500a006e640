/* What the frames of a trajectory say of an observable with the option `frames`. Local. */
#ifndef FRAMES_H
#define FRAMES_H

#include "io/h5md/layout.h"
#include "observe/observable.h"

/* 1 if a column of a table is a value of a single sample. */
int observe_frames_any(const struct observable *o);
/* The values of a sample as text: a line for each column that is a value of a sample, whose fields
   are separated by tabs: table, column, first (the index of its first value), rows, unit, labels of
   the rows (separated by spaces; empty if the rows have an axis). The names of the fields come
   first. The caller frees it. */
char *observe_frames_columns(const struct observable *o);

#endif
