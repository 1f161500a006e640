/* Areas of the Voronoi cells of lipids in the plane of the membrane, periodic: the points that are
   nearer to the head of a lipid than to that of any other lipid of its leaflet. Host memory. */
#ifndef VORONOI_H
#define VORONOI_H

#include "observe/neighbours.h"

/* Adds the areas of the cells of this rank's lipids, in units of 2^-VORONOI_BITS nm2, to
   area[types]. Every rank gets the heads of all lipids. Lipids at the same place share no area:
   each has that of the cell. Collective. */
enum { VORONOI_BITS = 30 };
void voronoi_areas(const struct neighbours *s, int64_t *area);

#endif
