/* A map of the electrostatic potential, from a state, frames of a trajectory or a PQR file to an
   HDF5 or OpenDX file. Of several frames the mean is written, and the standard deviation over
   frames. */
#ifndef MAP_MAKE_H
#define MAP_MAKE_H

#include <stdint.h>

#include "maps/map.h"

/* What the name of the second OpenDX file, of the deviation over frames, has in place of ".dx". */
#define MAP_DEVIATION ".deviation.dx"

struct map_request {
  const char *input, *output; /* of .h5, .h5md or .pqr; of .h5 or .dx */
  const char *state;          /* of a trajectory */
  int64_t first, last;        /* frames, counted from 1; 0: the first, the last */
  const char *types;          /* the sources, bead_group_read_text; NULL: all */
  enum map_method method;
  int boundary; /* 0: periodic, 1: open, -1: periodic where there is a box */
  int double_precision, compensated;
  const char *backend;
  double cutoff, spacing; /* nm; 0: not given */
  int has_extent;
  double low[3], high[3]; /* nm */
};

/* Makes the map, and says what it cost. Dies with status 2 if it cannot be made as asked.
 * Collective.
 */
void map_make(const struct ranks *r, const struct map_request *q);

#endif
