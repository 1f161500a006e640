/* PREFIX.coordinates.csv: the coordinates and biases of a run, a line every
   output.coordinates_every steps. Rank 0 has the file; on other ranks the functions do nothing, and
   nowhere where there are no coordinates. */
#ifndef COORDINATE_FILE_H
#define COORDINATE_FILE_H

#include "md/sim.h"

struct coordinate_file;

/* Status 2 if two columns have one name (csv_refuse_twins). Ends all ranks. */
void coordinate_file_refuse_twins(const struct sim *s);
/* Status 2 if an existing file has other columns. Changes nothing. */
void coordinate_file_check(const struct sim *s);
/* Opens the file. restarted: cuts it off after the present step and continues it. checkpoint: its
   path, for messages; borrowed. */
struct coordinate_file *coordinate_file_open(struct sim *s, const char *checkpoint, int restarted);
/* Approximate size of a line, bytes. */
double coordinate_file_line_bytes(const struct sim *s);
/* Appends the lines of the steps whose state is known and that it does not have yet. */
void coordinate_file_write(struct coordinate_file *f);
/* Flushes the lines to the disk, before a checkpoint is written; from any thread. */
void coordinate_file_sync(const struct coordinate_file *f);
void coordinate_file_close(struct coordinate_file *f);

#endif
