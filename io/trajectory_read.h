/* What an existing trajectory holds. */
#ifndef TRAJECTORY_READ_H
#define TRAJECTORY_READ_H

#include "h5_read.h"

struct trajectory_clock {
  int64_t n;      /* beads */
  int64_t frames; /* whole ones: all their data is there, and steps increase */
  int64_t rows;   /* the longest dataset's, more than frames after a crash */
  int elements;   /* those that there are: a bit each */
  int64_t *step;  /* [frames], owned by the caller */
  double *time;
};

/* Local. Mistakes go to the reader. */
void trajectory_look(struct h5_reader *in, struct trajectory_clock *c);

/* The number of whole frames up to a step in a trajectory of n beads; status 4 if it is not one.
   elements: those asked for; becomes those of the file, which may be without velocities or with
   them. last_step: of the last of these frames. time (rank 0): of each, the caller frees.
   Collective. */
int64_t trajectory_frames(const struct ranks *r, const char *path, int64_t n, int64_t step,
                          int *elements, int64_t *last_step, double **time);

#endif
