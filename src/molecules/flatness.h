/* How lipids stand, and whether they are a bilayer across the box with normal z, as the area per
   lipid and observables of leaflets take for granted: from sums over the lipids of all ranks. The
   plane is cut into cells with four or more lipids of a leaflet each. Lipids are a flat bilayer if
   - both leaflets have lipids,
   - two thirds of the cells have lipids: the bilayer goes across the box,
   - the mean of cos^2 between z and their axes is 0.45 or more: 1/3 where directions are random, as
     in a vesicle, less where the normal is x or y, 0.6 to 0.9 in fluid bilayers,
   - in cells the heads of a leaflet are at one height: their standard deviation is at most 1 nm,
   - and the heights of a leaflet differ between cells by a standard deviation of at most
     (0.4^2 + (0.06 L)^2)^(1/2) nm, L the edge of a square of the box's area: thermal undulations
     reach about 0.01 L, buckles more.
   Heights are angles on the circle that the periodic box is, so the test needs no centre. */
#ifndef FLATNESS_H
#define FLATNESS_H

#include "base/box.h"
#include "model/lipids.h"

/* How a lipid stands. */
struct lipid_pose {
  int leaflet;      /* 1: upper, its head is above its tails; -1: lower */
  uint32_t head[3]; /* mean position of its heads, fractions of the box vectors in units of 2^-32 */
  uint32_t lateral[2]; /* torus_lateral of the head, at its z inside the box */
  double axis[3];      /* from the mean of the tails to that of the heads, nm */
};

/* Of the beads of a lipid at position[n][3], units of 2^-32 of the box vectors. mark: of
   lipids_mark; without heads its first bead is the head, without tails its last bead the tail. x:
   scratch for n beads, receives their vectors from the first bead, nm: sums of vectors from each
   bead to one that it is bonded to and that comes before it, else to the bead before, minimum
   image. */
struct lipid_pose lipid_pose(const struct forcefield *ff, const struct topology *t,
                             const struct molecule_beads *m, const char *mark,
                             const int32_t *position, const double box[BOX], double (*x)[3]);

enum flatness { FLAT, ONE_LEAFLET, GAPS, TILTED, LAYERED, CURVED };

/* Cells along an edge for a number of lipids; 64-bit words of the sums with so many. */
int flatness_grid(int64_t lipids);
int flatness_words(int grid);
/* Adds a lipid to word[flatness_words(grid)]. */
void flatness_add(int grid, const struct lipid_pose *p, int64_t *word);
/* From the sums over all lipids. */
enum flatness flatness_of(int grid, const int64_t *word, const double box[BOX]);
/* Of lipids that are a flat bilayer, with the sums as above, nm. edge: of the box along z. */
/* How far a point at a fraction of the edge is above the mean of the heads of a leaflet (1, -1),
   from 0 to the edge. */
double flatness_rise(int grid, const int64_t *word, int leaflet, double fraction, double edge);
/* The distance of a head from the mean of those of its leaflet in its cell, or in all cells where
   that one has none. */
double flatness_offset(int grid, const int64_t *word, const struct lipid_pose *p, double edge);
/* From the heads of the lower leaflet to those of the upper one. */
double flatness_thickness(int grid, const int64_t *word, double edge);
/* Why the lipids are no flat bilayer, as the end of a sentence. */
const char *flatness_text(enum flatness f);
/* The area per lipid of so many lipids in so many bilayers stacked along z, or why there is none.
 */
enum { FLATNESS_AREA = 240 };
const char *flatness_area(enum flatness f, int64_t lipids, int bilayers, const double box[BOX],
                          char text[FLATNESS_AREA]);

#endif
