/* Files of a run: energies (PREFIX.csv), frames, checkpoints; and the progress line. Collective. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "sim.h"

struct output;

/* restarted: continue the files of the job before, cut back to the present step. */
struct output *output_open(struct sim *s, int restarted);
/* What is due after the present step. */
void output_step(struct output *o);
void output_checkpoint(struct output *o);
void output_close(struct output *o);
/* Name of the checkpoint of a prefix; caller frees. */
char *output_checkpoint_name(const char *prefix);

#endif
