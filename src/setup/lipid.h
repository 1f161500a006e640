/* Conformation of a lipid in a starting configuration, from its bonds alone: bead 1 on top, chains
   straight down, side by side on a circle about the common axis. */
#ifndef LIPID_H
#define LIPID_H

#include "model/forcefield.h"

struct lipid {
  int n_beads;
  double (*x)[3]; /* nm; bead 1 at the origin, the others below (z < 0) */
  /* Body z of each bead points from bead `origin` to bead `target`; target -1: no direction. */
  int *origin, *target;
  double length; /* nm; depth of the lowest bead */
  double volume; /* nm3; volume in a fluid bilayer, estimated from the sizes of the beads */
  double tip;    /* nm; sigma of the largest chain end */
};

/* Computes the conformation; lipid_free frees the arrays. area: nm2 per lipid; if it is small,
   chains are closer together. */
void lipid_set(struct lipid *l, const struct forcefield *ff, int molecule, double area);
void lipid_free(struct lipid *l);

#endif
