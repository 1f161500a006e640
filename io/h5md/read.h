/* Reading of frames, for commands that compute from trajectories: all beads, or blocks of rows, so
   that each rank reads its own. Rows are counted from 1, in ascending order of ids; if the frames
   hold all beads, a row is the id. Local, except trajectory_frame_verify. Errors go to the
   h5_reader; after the first one calls do nothing. */
#ifndef H5MD_READ_H
#define H5MD_READ_H

#include "base/box.h"
#include "io/h5md/layout.h"
#include "molecules/selection.h"

/* Reads sizes, steps and times. */
void trajectory_scan(struct h5_reader *in, struct trajectory_index *c);

/* index: numbers of beads and of complete frames, elements in the file (bit ELEMENT_x), form of the
   positions, selection, step and time (ps) of each frame. */
struct trajectory_reader {
  struct h5_reader *in; /* borrowed */
  struct trajectory_index index;
};

/* Open: reads the index of the file that `in` has open. Close: frees the index. */
void trajectory_reader_open(struct trajectory_reader *t, struct h5_reader *in);
void trajectory_reader_close(struct trajectory_reader *t);
/* Warns if the last frame is not complete: it is not among those of the index. */
void trajectory_reader_warn(const struct trajectory_reader *t);
/* Opens the beads that the frames of a file with such an index hold; ids that do not ascend are an
   error of the reader. Collective. */
void trajectory_index_held(struct h5_reader *in, const struct trajectory_index *c,
                           const struct system *s, struct selection *held, const struct ranks *r);
/* Reads the ids of n rows from row `first`. */
void trajectory_reader_ids(struct trajectory_reader *t, int64_t first, int64_t n, int64_t *id);
/* Opens the beads of the system that the frames hold. Dies with STATUS_IO unless they are of the
   same types. state: the name of its file. Collective. */
void trajectory_reader_held(struct trajectory_reader *t, const struct system *s,
                            struct selection *held, const char *state, const struct ranks *r);
/* Reads the box edges (nm) of a frame, counted from 0. */
void trajectory_reader_box(struct trajectory_reader *t, int64_t frame, double box[BOX]);

/* The beads of rows first ... first + n - 1 in a frame. Initialise with {0}; arrays are reused by
   the next read. */
struct trajectory_frame {
  int64_t frame, step;
  double time, box[BOX];  /* ps; nm */
  int64_t first, n, room; /* room: beads that the arrays have space for */
  double (*position)[3];  /* nm; inside the box, unwrapped, or whole */
  int32_t (*image)[3];    /* box crossings: unwrapped = position inside the box (or whole, if asked
                             for) + image edge */
  /* [n][components] of ELEMENT_VELOCITY (nm/ps), ELEMENT_DIPOLE (e nm), ELEMENT_AXIS (unit vectors,
     0 for beads that do not rotate), ELEMENT_QUATERNION (scalar first, 1 0 0 0 for beads that do
     not rotate) and ELEMENT_FORCE (kJ/mol/nm); NULL: not in the file. */
  float *value[ELEMENTS];
  uint64_t sum[CHECKSUMS]; /* checksums of these beads */
};

/* Reads a frame, counted from 0. Step, time and box are compared with their checksums; so are the
   beads, if all of them are read. how: POSITIONS_WHOLE needs a file with such
   positions; the others can be had from every file. */
void trajectory_frame_read(struct trajectory_reader *t, int64_t frame, int64_t first, int64_t n,
                           enum trajectory_positions how, struct trajectory_frame *out);
/* For ranks that each read a block of the same frame, together all beads: adds up their checksums
   and compares them with the file's. If any rank has an error, from this or an earlier call, all
   die with STATUS_IO and the error of the lowest such rank. Collective. */
void trajectory_frame_verify(struct trajectory_reader *t, const struct trajectory_frame *frame,
                             const struct ranks *r);
void trajectory_frame_free(struct trajectory_frame *frame);

#endif
