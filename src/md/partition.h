/* The grid of ranks: how the box is cut into regions, one for each rank. */
#ifndef PARTITION_H
#define PARTITION_H

#include "md/sim.h"

/* Creates the regions of s: the grid that parallel.grid asks for, or for auto that of the least
   cost by a model of the halo (regions_choose). After list_expiry and the first skin are chosen,
   and beads loaded. Status 2 where the grid is not one of so many ranks. Local; the same on all
   ranks. */
void partition_create(struct sim *s);
/* Takes another grid, with new peers, in which regions have room for a halo that reaches so far
   from beads that are outside of the region by the extent, nm, in the build box: 1; 0 if there is
   none. Beads are where they were: the caller migrates them. Only where nothing is under way.
   Collective.
 */
int partition_change(struct sim *s, double reach, double extent);
/* At a list build: moves the borders of the regions so that ranks have equal work, if that is due,
   else only as far as the halo needs. Collective. */
void partition_balance(struct sim *s);
/* The next list build balances: beads are elsewhere now. Local. */
void partition_balance_next(struct sim *s);
/* The number of ranks that a value of parallel.grid is for; 0: it is no grid such as 4x2. */
long long partition_ranks(const char *grid);
/* The grid of the regions of s, as a value of parallel.grid. Allocated. */
char *partition_name(const struct sim *s);
/* Prints the grids that there are for the present number of ranks, each with beads of the halo and
   peers of a rank, and which of them is taken. On rank 0. */
void partition_print(const struct sim *s);

#endif
