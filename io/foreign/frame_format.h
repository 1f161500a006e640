/* Formats of other programs for frames: one struct frame_format each, and a row of the list in
   frame_file.c. To add one: its file io/foreign/NAME.c with a struct frame_format, a line here and
   in that list, the file in local.mk, and a row of the table in docs/reference/files.md. */
#ifndef FRAME_FORMAT_H
#define FRAME_FORMAT_H

#include <stdint.h>
#include <stdio.h>

#include "base/box.h"
#include "molecules/bead_place.h"

/* Limits of what is read: coordinates in edges of the box, velocities in nm/ps. */
#define FRAME_EDGES_MOST 1e6
#define FRAME_SPEED_MOST 1e6

/* The part of a frame that a rank has. */
struct frame_block {
  int64_t number; /* in the file that is written, from 1 */
  int64_t step;
  double time, box[BOX]; /* ps; nm */
  int64_t n;             /* beads, in ascending order of ids */
  double (*position)[3]; /* nm */
  double (*velocity)[3]; /* nm/ps; NULL: none */
};

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

/* A bead of a frame. */
struct frame_bead {
  struct bead_label label;           /* for formats with labels */
  int64_t number;                    /* in the file, from 1 */
  const double *position, *velocity; /* [3]; velocity may be NULL */
};

enum { FRAME_LINE = 256 /* bytes of a bead in a pass, at most */ };

/* What rank 0 writes to. */
struct frame_output {
  FILE *stream; /* keeps errors */
  const struct frame_series *series;
  void *state;  /* of the format: made by open, freed by close */
  int64_t mark; /* of the format: a place in the file */
};

/* The beads of a frame are passed once or several times. In each pass the ranks make the bytes of
   their beads, and rank 0 gets them piece by piece, so that memory does not grow with the system.
   Functions with a frame_output are for rank 0; those that a format does not need are NULL. */
struct frame_format {
  const char *suffix; /* "gro" */
  int64_t beads_most;
  int steps_32;      /* 1: steps are stored in 32 bits */
  int has_labels;    /* 1: beads have names */
  const char *limit; /* what a frame must not exceed, for the message */
  void (*open)(struct frame_output *o);
  int (*passes)(const struct frame_series *s, const struct frame_block *f); /* NULL: one */
  /* What comes before the beads of a pass; f has those of rank 0 alone. */
  void (*begin)(struct frame_output *o, const struct frame_block *f, int pass);
  /* Any rank: the bytes of a bead. Returns their number; 0: it exceeds the limit. */
  int (*bead)(const struct frame_series *s, const struct frame_bead *bead, int pass,
              char bytes[FRAME_LINE]);
  /* Takes the bytes of the next beads; NULL: they are written. */
  void (*put)(struct frame_output *o, int pass, void *bytes, int64_t n);
  /* What comes after the beads of a pass. 0: the frame exceeds the limit. */
  int (*end)(struct frame_output *o, const struct frame_block *f, int pass);
  void (*close)(struct frame_output *o);
};

extern const struct frame_format frame_gro, frame_pdb, frame_xtc, frame_trr, frame_dcd;

/* A step in 31 bits: what is left of it modulo 2^31. */
static inline int32_t frame_step_32(int64_t step)
{
  return (int32_t)(step & INT32_MAX);
}

#endif
