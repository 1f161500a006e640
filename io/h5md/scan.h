/* Contents of an existing trajectory, and opening it to append frames. Commands that compute from
   frames use trajectory_reader.h. */
#ifndef TRAJECTORY_READ_H
#define TRAJECTORY_READ_H

#include "io/h5_read.h"
#include "io/h5md/layout.h"

struct trajectory_index {
  int64_t n;         /* beads of a frame */
  int64_t n_system;  /* beads of the system; more than n if the frames hold a selection */
  int64_t frames;    /* complete frames: all their data exist, and steps increase */
  int64_t rows;      /* frames of the longest dataset; more than `frames` after a crash */
  int elements;      /* elements in the file, a bit each, and HAS_OBSERVED */
  int has_checksums; /* 0 in files of earlier versions */
  enum trajectory_positions positions;
  double precision; /* nm; positions are multiples of it; 0: they are floats */
  char *selection;  /* its names; NULL: all beads. This and the next two: the caller frees them */
  int64_t *step;    /* [frames] */
  double *time;
  struct trajectory_observed_list observed; /* owned */
};

/* Reads sizes, steps and times; errors go to the reader. Local. */
void trajectory_scan(struct h5_reader *in, struct trajectory_index *c);
void trajectory_index_free(struct trajectory_index *c);

/* The part of a trajectory that a continued run keeps. */
struct trajectory_resume {
  int64_t frames; /* complete frames, up to the step asked for */
  int64_t last_step;
  int elements; /* a bit each, and HAS_OBSERVED */
  enum trajectory_positions positions;
  double precision; /* nm, as in the index */
  int has_checksums;
  struct trajectory_observed_list observed; /* the caller frees it */
  int damaged; /* 1: HDF5's own records may be damaged by a kill; the file must not be written to */
  /* On rank 0, of each frame (the caller frees them); and why the file is damaged. */
  int64_t *step;
  double *time;
  char reason[512];
};

/* Makes a file that the job before has left in the middle of a write what it was before
   (undo.h). run: the identity of the run. Collective. */
void trajectory_undo(const struct ranks *r, const char *path, const char *run);

/* Checks that the file is a trajectory of the system and removes its frames after a step. past:
   its elements, positions, precision and observables, and *selection, are those that the run asks
   for. A file keeps those that it began with, which are then set. Dies with STATUS_IO if it belongs
   to another system, and with STATUS_INPUT if it has other observables under the same names.
   Collective. */
void trajectory_resume(const struct ranks *r, const char *path, const struct system *s,
                       int64_t step, struct selection *selection, struct trajectory_resume *past);
#endif
