/* Files of a run: energies (PREFIX.csv), frames, checkpoints; and the progress line. Collective.
   Frames and checkpoints are written by a thread of their own where output.writer says so, while
   the next steps are done; one step's at a time. Until they are finished, and between output_open
   and output_close at all, nobody else may use HDF5. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "md/sim.h"

struct output;

/* restarted: continue the files of the job before, cut back to the present step. */
struct output *output_open(struct sim *s, int restarted);
/* What is due after the present step. */
void output_step(struct output *o);
/* All files are finished, a checkpoint of the present step among them, when it returns. */
void output_checkpoint(struct output *o);
void output_close(struct output *o);
/* The checkpoint of a prefix, behind symbolic links; caller frees. */
char *output_checkpoint_name(const char *prefix);

#endif
