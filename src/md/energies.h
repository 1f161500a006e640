/* PREFIX.csv, the energies of a run: a line every output.energies_every steps. Rank 0 has the file;
   on other ranks the functions do nothing. Checkpoints keep the last line (struct run_record), so
   that a job can see whether the file belongs to its run. */
#ifndef ENERGIES_H
#define ENERGIES_H

#include "md/sim.h"

struct energies;

/* Status 2 if two columns have one name (csv_refuse_twins). Ends all ranks. */
void energies_refuse_twins(const struct sim *s);
/* Compares the lines of an existing file up to the present step with the last one that the
   checkpoint knows. Dies with STATUS_INPUT if the file is of another run; warns if it is missing.
   Changes nothing. Collective. */
void energies_check(const struct sim *s);
/* Opens the file. restarted: cuts it off after the present step and continues it; else begins it
   with the line of this step. checkpoint: its path, for messages; borrowed. */
struct energies *energies_open(struct sim *s, const char *checkpoint, int restarted);
/* Approximate size of a line, bytes. Local. */
double energies_line_bytes(const struct sim *s);
/* Appends the line of the present step. */
void energies_write(struct energies *e);
/* Flushes the lines to the disk, before a checkpoint is written; from any thread. */
void energies_sync(const struct energies *e);
void energies_close(struct energies *e);

#endif
