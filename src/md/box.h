/* Whether the box is large enough. Each edge must be at least twice the list radius, or the minimum
   image would miss pairs; and each of the regions that the ranks own must be thick enough for
   the halo, in some grid of the ranks. Barostats change the box, so this is asked at list builds
   and after couplings. All functions are local and give the same answer on all ranks. */
#ifndef BOX_H
#define BOX_H

#include "md/sim.h"

enum box_fit { BOX_FITS, BOX_EDGE_SHORT, BOX_REGIONS_THIN };

/* The first axis along which the box is shorter than twice a list radius (nm); -1: none. */
int box_short_axis(const double box[3], double radius);
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
