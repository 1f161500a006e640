/* Formats of other programs for frames: one struct frame_format each, and a row of the list in
   frame_file.c. To add one: its file io/frame_NAME.c with a struct frame_format, a line here and in
   that list, the file in local.mk, and a row of the table in docs/reference/files.md. */
#ifndef FRAME_FORMAT_H
#define FRAME_FORMAT_H

#include <stdint.h>
#include <stdio.h>

#include "io/bead_place.h"
#include "io/frame_block.h"

/* What is known before the first frame. */
struct frame_series {
  const char *forcefield; /* its name */
  int64_t beads, frames;
  int64_t step, interval; /* of the first frame; steps from one frame to the next, or 0 */
  double time, dt;        /* of the first frame, ps; ps a step, or 0 */
  double precision;       /* XTC: steps a nm */
  int digits;             /* GRO: decimals of positions */
  int is_double;          /* 1: numbers have more digits than floats, for formats that keep them */
};

/* A bead of a frame, for formats of text. */
struct frame_bead {
  struct bead_label label;
  int64_t number;                    /* in the file, from 1 */
  const double *position, *velocity; /* [3]; velocity may be NULL */
};

enum { FRAME_LINE = 256 /* bytes of a line, at most */ };

/* A format is either of text, with a line a bead which the ranks make, or of binary frames. What
   rank 0 writes goes to a stream, which keeps errors. */
struct frame_format {
  const char *suffix; /* "gro" */
  int64_t beads_most;
  int steps_32;      /* 1: steps are stored in 32 bits */
  const char *limit; /* what a frame must not exceed, for the message */
  /* Rank 0: the beginning of the file; NULL: none. */
  void (*open)(FILE *out, const struct frame_series *s);
  /* Binary, rank 0: a whole frame. 0: it exceeds the limit. */
  int (*add)(FILE *out, const struct frame_series *s, const struct frame_block *f);
  /* Text: what comes before the beads and after them (rank 0; f has no beads), and the line of a
     bead with its end (any rank). Returns its bytes; 0: it exceeds the limit. */
  void (*begin)(FILE *out, const struct frame_series *s, const struct frame_block *f);
  int (*line)(const struct frame_series *s, const struct frame_bead *bead, char text[FRAME_LINE]);
  void (*end)(FILE *out, const struct frame_series *s, const struct frame_block *f);
};

extern const struct frame_format frame_gro, frame_pdb, frame_xtc, frame_trr, frame_dcd;

/* A step in 31 bits: what is left of it modulo 2^31. */
static inline int32_t frame_step_32(int64_t step)
{
  return (int32_t)(step & INT32_MAX);
}

#endif
