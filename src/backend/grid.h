/* The grid of cells over the whole box, on host and device. Its numbers of cells depend on the box
   and the list radius at the build, and on the number of all beads. */
#ifndef GRID_H
#define GRID_H

#include <stdint.h>

#include "base/hd.h"

struct grid {
  int n[3];
  double box[3], radius; /* nm; lists hold every pair closer than radius */
};

/* The cell of a coordinate along an axis of n cells. */
HD int cells_place(int32_t x, int n)
{
  return (int)((uint64_t)(uint32_t)x * (uint64_t)n >> 32);
}

#endif
