/* The grid of cells over the whole box, on host and device, the same on all ranks. The numbers of
   cells follow from the box, the list radius and the columns that the backend asks for. */
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

/* Divides a box (nm) into cells. Along x and y there are `columns` cells in a list radius (nm),
   along z six. */
static inline void grid_set(struct grid *g, const double box[3], double radius, int columns)
{
  for (int k = 0; k < 3; k++) {
    double n = floor(box[k] / radius * (k < 2 ? columns : (int)CELLS_PER_RADIUS));
    g->n[k] = n < 1 ? 1 : n > EDGE_CELLS_MOST ? (int)EDGE_CELLS_MOST : (int)n;
    g->box[k] = box[k];
  }
  g->radius = radius;
}

/* The index of the cell of a coordinate x (2^-32 of the edge) along an axis of n cells. */
HD int cells_place(int32_t x, int n)
{
  return (int)((uint64_t)(uint32_t)x * (uint64_t)n >> 32);
}

#endif
