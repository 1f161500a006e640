/* Beads near given points, which need not be beads. On the host. */
#ifndef NEAR_H
#define NEAR_H

#include <stdint.h>

#include "cpu/cells.h"

/* Called once for each point, in their order: the n beads near it, as the indices that cells_sort
   was given; valid until the function returns. */
typedef void near_function(void *context, int64_t point, int n, const int *bead);

/* Finds the beads of c closer than radius (nm) to each of n_points points, [n_points][3] in
   fractions of the box. Distances are those of the minimum image, so that a bead comes once at
   most, whatever the radius. Beads are in the order of neighbour lists (cells_reach.h): a function
   of grid, positions and ids, and not of how beads are distributed over ranks. The work is least
   where radius is the one that grid_set was given. */
void search_near(const struct cells *c, double radius, int64_t n_points, const int32_t *point,
                 near_function *found, void *context);

#endif
