/* What `lamella map` reads: a state, frames of a trajectory, or a PQR file. */
#ifndef MAP_INPUT_H
#define MAP_INPUT_H

#include "base/box.h"
#include "io/foreign/pqr.h"
#include "maps/map_make.h"
#include "maps/sources.h"
#include "md/analyze.h"
#include "model/system.h"

struct map_input {
  const struct ranks *ranks;
  const char *path;
  struct system *system; /* NULL: a PQR file */
  struct pqr pqr;
  int is_trajectory;
  struct analyze_input trajectory;
  int64_t frames;         /* to use */
  struct bead_group from; /* the sources, where has_from is 1; else all beads */
  int has_from;
};

/* A frame. box is 0 for a PQR file. */
struct map_frame {
  int64_t step;
  double time, box[BOX]; /* ps; nm */
  int64_t sources;       /* of all ranks */
  struct map_charges charges;
};

/* Opens the input that is asked for. Dies with status 2 if there are no frames, or no types that
   can be sources. Collective. */
void map_input_open(struct map_input *in, const struct ranks *r, const struct map_request *q);
/* Reads frame k, counted from 0, of those to use. Dies with status 2 if it has no sources.
   Collective; the caller frees f->charges. */
void map_input_read(struct map_input *in, int64_t k, struct map_frame *f);
void map_input_close(struct map_input *in);

#endif
