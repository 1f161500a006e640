/* Frames of a trajectory, or the one of a state, block by block: what is asked for of them, in
   memory of one frame. Collective. */
#ifndef FRAME_SOURCE_H
#define FRAME_SOURCE_H

#include "io/foreign/frame_format.h"
#include "io/h5_read.h"
#include "io/h5md/read.h"
#include "model/system.h"
#include "molecules/selection.h"

struct frame_request {
  const char *path;   /* of the trajectory or state */
  const char *state;  /* trajectory: a state of the same system, which has its names and bonds */
  const char *select; /* bead_group_read_text; "": all beads of the frames */
  enum trajectory_positions positions;
  int64_t every;   /* of the frames in the time range each every-th, from the first on */
  double from, to; /* ps */
};

/* Written by io/frame_source.c. */
struct frame_source {
  const struct ranks *ranks; /* borrowed */
  struct system *system; /* its positions are those of the last frame, if they are asked whole */
  struct selection selection; /* the beads of a frame */
  int64_t frames;
  int64_t *step; /* [frames] */
  double *time;  /* ps */
  int is_state, has_velocities;

  /* The rest is for frame_source.c. */
  enum trajectory_positions positions, read; /* asked for; as they are read of a trajectory */
  int64_t *frame;                            /* [frames]; which frame of the trajectory */
  struct selection held;                     /* the beads that the trajectory has */
  int64_t *row;                              /* [selection.n]; which of this rank's held beads */
  struct whole *whole;                       /* NULL: nothing to make whole */
  struct h5_reader in;
  struct trajectory_reader reader;
};

/* 1 if the HDF5 file holds a trajectory, 0 if it is another; dies with STATUS_IO if it cannot be
   read. */
int frame_source_is_trajectory(const struct ranks *r, const char *path);
/* Dies with STATUS_INPUT if there is no such frame or selection, and with STATUS_IO if a file is
   damaged, or of another system. */
void frame_source_open(struct frame_source *f, const struct ranks *r,
                       const struct frame_request *want);
/* Reads the k-th frame, from 0; arrays of *block are reused. Initialise it with {0}. */
void frame_source_read(struct frame_source *f, int64_t k, struct frame_block *block);
void frame_source_close(struct frame_source *f);
void frame_block_free(struct frame_block *f);

#endif
