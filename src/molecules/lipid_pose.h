/* How a lipid stands: where its head is, and the vector from its tails to it. Host memory. */
#ifndef LIPID_POSE_H
#define LIPID_POSE_H

#include "model/lipids.h"

struct lipid_pose {
  int leaflet;      /* 1: upper, its head is above its tails; -1: lower */
  uint32_t head[3]; /* mean position of its heads, fractions of the box edges in units of 2^-32 */
  double axis[3];   /* from the mean of the tails to that of the heads, nm */
};

/* Of the beads of a lipid at position[n][3], units of 2^-32 of the box edges. mark: of lipids_mark;
   without heads its first bead is the head, without tails its last bead the tail. x: scratch for n
   beads, receives their vectors from the first bead, nm: sums of vectors from each bead to one that
   it is bonded to and that comes before it, else to the bead before, minimum image. */
struct lipid_pose lipid_pose(const struct forcefield *ff, const struct topology *t,
                             const struct molecule_beads *m, const char *mark,
                             const int32_t *position, const double box[3], double (*x)[3]);

#endif
