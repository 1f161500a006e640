/* What an existing trajectory holds. Commands that compute from frames use trajectory_reader.h. */
#ifndef TRAJECTORY_READ_H
#define TRAJECTORY_READ_H

#include "io/h5_read.h"
#include "io/trajectory_layout.h"

struct trajectory_clock {
  int64_t n;      /* beads */
  int64_t frames; /* whole ones: all their data is there, and steps increase */
  int64_t rows;   /* the longest dataset's, more than frames after a crash */
  int elements;   /* those that there are: a bit each */
  int sums;       /* are there checksums? Files of earlier versions have none */
  int64_t *step;  /* [frames], owned by the caller */
  double *time;
};

/* Local. Mistakes go to the reader. */
void trajectory_look(struct h5_reader *in, struct trajectory_clock *c);

/* What a run goes on with. */
struct trajectory_past {
  int64_t frames; /* whole ones, up to the step asked for */
  int64_t last_step;
  int elements; /* a bit each */
  int sums;
  int damaged; /* the file must not be written to: a kill may have cut through HDF5's own records */
  /* Rank 0: of each frame, the caller frees; and what is wrong. */
  int64_t *step;
  double *time;
  char reason[512];
};

/* A trajectory of n beads, its frames after a step taken off; status 4 where it belongs to another
   system. elements: those asked for; a file may be without velocities or with them. Collective. */
void trajectory_past(const struct ranks *r, const char *path, int64_t n, int64_t step, int elements,
                     struct trajectory_past *past);
/* The datasets that have an entry a frame, in the order in which frames are taken off, and their
   paths; SERIES_ELEMENT + k: of element k. */
enum {
  SERIES_STEP,
  SERIES_TIME,
  SERIES_EDGES,
  SERIES_SUMS, /* where the file has them */
  SERIES_ELEMENT,
  SERIES = SERIES_ELEMENT + ELEMENTS
};
const char *trajectory_series(int series, char path[96]);

/* Local; mistakes go to the reader. Rows first (from 0) ... first + n - 1 of an element of a frame
   (from 0), 12 bytes each: three numbers as the file has them. */
void trajectory_read_element(struct h5_reader *in, int element, int64_t frame, int64_t first,
                             int64_t n, void *data);
/* The box edges of frames frame ... frame + n - 1, nm. */
void trajectory_read_edges(struct h5_reader *in, int64_t frame, int64_t n, double (*edges)[9]);

#endif
