/* Files of comma-separated values that a run appends to: after a line of column names, lines that
   begin with the number of their step. Rank 0 has them; local. */
#ifndef CSV_H
#define CSV_H

#include <stdint.h>
#include <stdio.h>

#include "md/sim.h"

/* Ends with status 4: the file cannot be written, for the reason errno. checkpoint: named if it is
   there. */
_Noreturn void csv_failed(const char *name, const char *checkpoint);
/* Status 2 if the first line of an open file is whole and not `wanted`. why: what may have changed
   the columns. Rewinds the file. */
void csv_refuse_columns(FILE *f, const char *path, const char *wanted, const char *why);
/* Status 2 if names of coordinates or biases make a column that is there already: 'lz', in nm, that
   of a box edge. head: the line of column names of the file PREFIX and `ending`, the same on all
   ranks. Names each column with the places of the names. Ends all ranks. */
void csv_refuse_twins(const struct sim *s, const char *head, const char *ending);
/* Truncates a file after the line of a step: removes the lines of a job that went on after its last
   checkpoint, and an incomplete last line. Returns the step of the last line that is left; -1:
   none, or no file. */
int64_t csv_trim(const char *name, int64_t step);

#endif
