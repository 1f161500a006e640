/* Search for beads near given points, which need not be beads. On the host. */
#ifndef NEAR_H
#define NEAR_H

#include <stdint.h>

#include "cpu/cells.h"

/* Called once for each point, in order. bead[n]: the beads near it, as indices into the arrays
   given to cells_sort; valid until the function returns. */
typedef void near_function(void *context, int64_t point, int n, const int *bead);

/* Finds the beads of c closer than radius, and not closer than least (nm), to each of n_points
   points, [n_points][3] in units of 2^-32 of the box edges. Distances are by the minimum image, so
   that a bead is found at most once for any radius. Beads are in the order of neighbour lists
   (cells_reach.h), which depends on grid, positions and ids, and not on the distribution of beads
   over ranks. Fastest if radius is the one given to grid_set. */
void search_near(const struct cells *c, double least, double radius, int64_t n_points,
                 const int32_t *point, near_function *found, void *context);

#endif
