/* The shape that a lipid has in a starting configuration, from its bonds alone: bead 1 on top,
   every chain straight down, the chains side by side on a circle about the common axis. */
#ifndef LIPID_H
#define LIPID_H

#include "model/forcefield.h"

struct lipid {
  int n_beads;
  double (*x)[3]; /* nm; bead 1 at the origin, the others below */
  int *target;    /* the bead that the dipole of each points to; -1: none */
  double length;  /* depth of the lowest bead */
  double volume;  /* nm3, of a lipid in a fluid bilayer, estimated from the sizes of its beads */
  double tip;     /* sigma of the largest bead at the end of a chain */
};

/* area: nm2 that a lipid has; chains stand closer than they like where it is small. */
void lipid_set(struct lipid *l, const struct forcefield *ff, int molecule, double area);
void lipid_free(struct lipid *l);

#endif
