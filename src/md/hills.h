/* The hills of metadynamics that a run has deposited (model/hills.h): the host keeps all of them,
   in order, and the backend their sum. Where the run has no metadynamics every function does
   nothing. */
#ifndef MD_HILLS_H
#define MD_HILLS_H

#include "md/sim.h"

/* Takes the hills from the record of the system, and sets now->hills. Returns the nodes of the grid
   with them, for the backend; NULL: no metadynamics. Caller frees. Status 2 if they are those of
   other coordinates. */
double *hills_start(struct sim *s, struct bias_state *now);
void hills_close(struct sim *s);
/* Takes from the backend those that the state `now` has and the host does not have yet. Status 3 if
   a coordinate has left the grid; 2 if it begins outside. */
void hills_fetch(struct sim *s, const struct bias_state *now);
/* Sets *to, for the record. Returns 0: there is nothing to keep. */
int hills_save(const struct sim *s, struct accumulated *to);

struct hill_file;
/* Opens PREFIX.hills, in the format of PLUMED, with the hills so far. Rank 0 has the file; on other
   ranks these functions do nothing. checkpoint: its path, for messages; borrowed. */
struct hill_file *hill_file_open(const struct sim *s, const char *checkpoint);
/* Appends the hills that the host has and the file does not have yet. */
void hill_file_write(struct hill_file *f);
/* Flushes them to the disk, before a checkpoint is written; from any thread. */
void hill_file_sync(const struct hill_file *f);
void hill_file_close(struct hill_file *f);
/* Approximate size of a line, bytes. */
double hill_file_line_bytes(const struct sim *s);

#endif
