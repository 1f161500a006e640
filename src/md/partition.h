/* The grid of ranks: how the box is cut into regions, one for each rank. */
#ifndef PARTITION_H
#define PARTITION_H

#include "md/sim.h"

/* Creates the regions of s: the grid of parallel.grid, or with auto that of the lowest estimated
   cost (regions_choose). Call it after list_expiry and the first skin have been chosen and beads
   loaded. Status 2 if the grid does not match the number of ranks. Local; the same on all ranks. */
void partition_create(struct sim *s);
/* Changes to a grid, with new peers, whose regions have room for the halo in the build box. reach:
   nm, from an owned bead; extent: nm by which owned beads may lie outside of the region. Returns 0
   if there is no such grid. The caller migrates the beads. No step or message may be in flight.
   Collective. */
int partition_change(struct sim *s, double reach, double extent);
/* At a list build: moves the borders of the regions so that ranks have equal work, if that is due,
   else only as far as the halo needs. Collective. */
void partition_balance(struct sim *s);
/* Makes the next list build balance the regions, because most beads have new positions. Local. */
void partition_balance_next(struct sim *s);
/* The number of ranks of a value of parallel.grid such as 4x2; 0 if it is no such grid. */
long long partition_ranks(const char *grid);
/* The grid of the regions of s, as a value of parallel.grid. Allocated. */
char *partition_name(const struct sim *s);
/* Prints the possible grids for the present number of ranks, each with the halo beads and peers of
   a rank, and which grid is used. On rank 0. */
void partition_print(const struct sim *s);

#endif
