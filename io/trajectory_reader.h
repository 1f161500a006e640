/* Frames of a trajectory, for commands that compute from them: of all beads, or by blocks of ids,
   so that each rank reads its own. Local to a rank but for trajectory_frame_settle; mistakes go to
   the h5_reader, and after the first one every call does nothing. */
#ifndef TRAJECTORY_READER_H
#define TRAJECTORY_READER_H

#include "io/h5_read.h"
#include "io/trajectory_read.h"
#include "mpi/comm/ranks.h"

/* clock: the numbers of beads and of whole frames, the elements that there are (bit ELEMENT_x), and
   step and time (ps) of each frame. */
struct trajectory_reader {
  struct h5_reader *in; /* borrowed */
  struct trajectory_clock clock;
};

/* The file that the reader has open. Close gives the memory of the clock back. */
void trajectory_reader_open(struct trajectory_reader *t, struct h5_reader *in);
void trajectory_reader_close(struct trajectory_reader *t);
/* The edges of the box in a frame, counted from 0, nm. */
void trajectory_reader_box(struct trajectory_reader *t, int64_t frame, double box[3]);

/* A frame of beads with the ids first ... first + n - 1. All zero is empty; reading takes over the
   memory of the frame before. */
struct trajectory_frame {
  int64_t frame, step;
  double time, box[3];          /* ps; nm */
  int64_t first, n, room;       /* room: beads that the arrays hold */
  double (*position)[3];        /* nm; as in the file, which has them in the box, or unwrapped */
  float (*vector[ELEMENTS])[3]; /* ELEMENT_VELOCITY (nm/ps), ELEMENT_DIPOLE (e nm), ELEMENT_AXIS
                                   (unit vectors, 0 for beads without); NULL: not in the file */
  int32_t (*image)[3];          /* crossings of the box */
  uint64_t sum[SUMS];           /* of these beads */
};

enum trajectory_positions { POSITIONS_WRAPPED, POSITIONS_UNWRAPPED };

/* Reads a frame, counted from 0. Its step, time and box are compared with their checksum, where the
   file has checksums; the beads, if the frame is read whole. */
void trajectory_frame_read(struct trajectory_reader *t, int64_t frame, int64_t first, int64_t n,
                           enum trajectory_positions how, struct trajectory_frame *out);
/* Compares the beads with their checksums where each rank has read a block of the same frame, every
   bead in one of them. Status 4 with the mistake of the lowest rank that has one, of this or of an
   earlier call. Collective. */
void trajectory_frame_settle(struct trajectory_reader *t, const struct trajectory_frame *frame,
                             const struct ranks *r);
void trajectory_frame_free(struct trajectory_frame *frame);

#endif
