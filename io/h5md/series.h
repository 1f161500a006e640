/* The datasets of a trajectory that have an entry for each frame: their paths, and how they are
   read. */
#ifndef TRAJECTORY_SERIES_H
#define TRAJECTORY_SERIES_H

#include "io/h5_read.h"
#include "io/h5md/layout.h"

/* In the order in which frames are removed; the datasets of observables follow. SERIES_ELEMENT + k:
   element k. */
enum {
  SERIES_STEP,
  SERIES_TIME,
  SERIES_EDGES,
  SERIES_CHECKSUMS, /* if the file has them */
  SERIES_ELEMENT,
  SERIES = SERIES_ELEMENT + ELEMENTS
};
const char *trajectory_series(int series, char path[96]);

/* Reads rows first ... first + n - 1 (counted from 0) of an element of a frame (counted from 0), as
   the file has them. Local; errors go to the reader. */
void trajectory_read_element(struct h5_reader *in, int element, int64_t frame, int64_t first,
                             int64_t n, void *data);
/* Reads the box edges of n frames from `frame`, nm. Local. */
void trajectory_read_edges(struct h5_reader *in, int64_t frame, int64_t n, double (*edges)[9]);

#endif
