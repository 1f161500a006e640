/* What `lamella map` reads: a state, frames of a trajectory, or a PQR file. */
#ifndef MAP_INPUT_H
#define MAP_INPUT_H

#include "cli/options.h"
#include "io/foreign/pqr.h"
#include "io/h5md/read.h"
#include "maps/sources.h"
#include "model/system.h"

struct map_input {
  const struct ranks *ranks;
  const char *path;
  struct system *system; /* NULL: a PQR file */
  struct pqr pqr;
  int is_trajectory;
  struct h5_reader file;
  struct trajectory_reader reader;
  int64_t first, frames; /* of the trajectory, from 0; else 0 and 1 */
  char *chosen;          /* [types]: 1 for sources; NULL: all */
};

/* A frame. box is 0 for a PQR file. */
struct map_frame {
  int64_t step;
  double time, box[3]; /* ps; nm */
  int64_t sources;     /* of all ranks */
  struct map_charges charges;
};

/* Opens the operand of the command, with --state, --first, --last and --types. Dies with status 2
   if there are no frames, or no types that can be sources. Collective. */
void map_input_open(struct map_input *in, const struct ranks *r, const struct arguments *a);
/* Reads frame k, counted from 0, of those to use. Dies with status 2 if it has no sources.
   Collective; the caller frees f->charges. */
void map_input_read(struct map_input *in, int64_t k, struct map_frame *f);
void map_input_close(struct map_input *in);

#endif
