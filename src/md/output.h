/* Files of a run: energies (PREFIX.csv), trajectory frames and checkpoints, and the progress line
   on the standard error. If output.writer asks for it, frames and checkpoints are written by a
   second thread while the next steps run; one step's files at a time. While a struct output is
   open, no other code may call HDF5. All functions are collective but output_check and
   output_checkpoint_name. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "md/sim.h"

struct output;

/* Dies with STATUS_INPUT if the run file asks for files that cannot be written. Before any file is
   touched. Local. */
void output_check(const struct params *p, const struct system *y);
/* The bytes that a frame of this run adds to its files, at most. Collective. */
double output_frame_bytes(const struct sim *s);
/* restarted: the files of the previous job are truncated to the present step and continued. */
struct output *output_open(struct sim *s, int restarted);
/* Writes what is due after the present step, or hands it to the writing thread. */
void output_step(struct output *o);
/* Writes a checkpoint of the present step and waits until all files are complete. */
void output_checkpoint(struct output *o);
/* Waits until all files are complete, and closes them. */
void output_close(struct output *o);
/* The path of the checkpoint of a prefix with symbolic links resolved. The caller frees it. Local.
 */
char *output_checkpoint_name(const char *prefix);

#endif
