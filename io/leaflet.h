/* Leaflets of the lipids of a bilayer whose normal is z. */
#ifndef LEAFLET_H
#define LEAFLET_H

#include "io/whole.h"

/* The leaflet of each bead's molecule, [n] of the block: 1 upper, -1 lower, 0 none (no bonds). A
   molecule is in the upper leaflet if its head is above its tail: head is the mean z of its beads
   of type P (without such beads its first bead), tail that of its beads with neither charge nor
   dipole (without such beads its last bead). whole: of the present positions. Collective; the
   caller frees it. */
int32_t *leaflets_find(const struct ranks *r, const struct system *s, const struct whole *w);

#endif
