/* The grid of ranks: how the box is cut into regions, one for each rank. */
#ifndef PARTITION_H
#define PARTITION_H

#include "base/box.h"
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

/* Whether the box is large enough. Each edge must be at least twice the list radius, or the minimum
   image would miss pairs; and each of the regions must be thick enough for the halo, in some grid
   of the ranks. Barostats change the box, so this is asked at list builds and after couplings. All
   are local and give the same answer on all ranks. */
enum box_fit { BOX_FITS, BOX_EDGE_SHORT, BOX_REGIONS_THIN };

/* The first axis along which the box is shorter than twice a list radius (nm); -1: none. */
int box_short_axis(const double box[BOX], double radius);
/* 1 if the run may change its grid of ranks when regions become too thin: parallel.grid is auto. */
int box_grid_is_free(const struct sim *s);
/* The largest number of ranks for which some grid fits the present box. */
long long box_most_ranks(const struct sim *s);
/* regions_explain for the present box, its edges times scale. */
void box_explain_regions(const struct sim *s, double scale, char text[REGIONS_TEXT]);
/* Whether the present box, its edges times scale, is large enough. */
enum box_fit box_fit_of(const struct sim *s, double scale);
/* 1 if the present box is within 5 % of being too small. Backends with async_ops: the box as the
   host last read it. It is then read after every barostat step, so that the run can end with a
   checkpoint in time. */
int box_is_tight(const struct sim *s);
/* Status 2 if a box edge is too short for the list radius, or too long for the resolution of
   positions. */
void box_refuse(const struct sim *s);

#endif
