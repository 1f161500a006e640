/* Orientations of ellipsoids on the sites of a crystal, such that no two overlap. Random ones are
   found by rejection, one bead after another, in sweeps over the crystal. */
#ifndef ROTORS_H
#define ROTORS_H

#include <stdint.h>

/* A crystal of single beads. Ids run from 1 through the sites of a cell, then x, y, z. */
struct crystal {
  int per_cell;
  const int (*site)[3]; /* of a cell, in half cells */
  int cells[3];
  double edge[3]; /* of a cell, nm */
};

struct rotors {
  double sigma, kappa; /* breadth (nm), length over breadth; the long axis is body z */
  int aligned;         /* all along `axis`; else random */
  double axis[3];      /* a unit vector */
  uint64_t seed;
};

/* The number of beads that overlap another. draw[n]: for random ones receives the draw of
   place_draw_orientation of each bead; is not touched for aligned ones, may then be NULL. Every
   rank does the whole crystal, so the result is the same on all. */
int64_t rotors_place(const struct rotors *r, const struct crystal *c, uint32_t *draw);
/* The density (nm-3) itself if a small crystal of that density has room for the ellipsoids, else a
   lower one that has. */
double rotors_fitting_density(const struct rotors *r, const struct crystal *c);

#endif
