/* The grid of cells over the whole box, on host and device. Its numbers of cells depend on the box
   and the list radius at the build, and on the number of all beads. */
#ifndef GRID_H
#define GRID_H

#include <math.h>
#include <stdint.h>

#include "base/hd.h"

struct grid {
  int n[3];
  double box[3], radius; /* nm; lists hold every pair closer than radius */
};

enum { CELLS_PER_RADIUS = 6, EDGE_CELLS_MOST = 1 << 20 };

/* Divides a box (nm) into cells: columns to a list radius along x and y, a sixth of it high along
   z. */
static inline void grid_set(struct grid *g, const double box[3], double radius, int columns)
{
  for (int k = 0; k < 3; k++) {
    double n = floor(box[k] / radius * (k < 2 ? columns : (int)CELLS_PER_RADIUS));
    g->n[k] = n < 1 ? 1 : n > EDGE_CELLS_MOST ? (int)EDGE_CELLS_MOST : (int)n;
    g->box[k] = box[k];
  }
  g->radius = radius;
}

/* The cell of a coordinate along an axis of n cells. */
HD int cells_place(int32_t x, int n)
{
  return (int)((uint64_t)(uint32_t)x * (uint64_t)n >> 32);
}

#endif
