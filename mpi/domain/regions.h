/* Domain decomposition: the box is cut along one in-plane axis into slabs, or along both into
   columns, with load balancing. Bounds are in units of 2^-32 of the box edge. Trajectories do not
   depend on the grid of ranks nor on the bounds. */
#ifndef REGIONS_H
#define REGIONS_H

#include <stdint.h>

#include "backend/backend.h"
#include "base/box.h"
#include "mpi/comm/ranks.h"

/* The cut of the box along an axis: slab k is [bound[k], bound[k + 1]). */
struct region_cut {
  int axis, n;
  uint64_t *bound;    /* [n + 1], the same on every rank */
  uint64_t width;     /* of the halo, in the same units */
  uint64_t thickness; /* the least of a slab */
};

/* The grid of ranks: rank r has slab r / cut[1].n of the first cut and r % cut[1].n of the second.
   Where the second cut makes one slab, regions are slabs of the first, else columns. */
/* Written by mpi/domain/regions.c. */
struct regions {
  struct region_cut cut[CUTS];
};

/* Equal regions: the first cut has n[0] slabs along an axis, the second n[1] slabs along the other
   in-plane axis; n[0] n[1] ranks. Local. */
void regions_create(struct regions *g, int axis, const int n[CUTS]);
void regions_destroy(struct regions *g);
/* The present regions as a struct domain of a rank. It borrows the bounds, and is valid until
   bounds or widths change. Peers are the distinct ranks on all sides, at most eight. Local. */
struct domain regions_domain(const struct regions *g, const struct ranks *r);
/* Sets the width of the halo to reach + extent (nm), for a box (nm). reach: how far partners of a
   bead may be from it; extent: how far an owned bead may be from the region, as beads of clusters
   are. Peers own every bead in the halo if regions are as thick as reach + 2 extent: then one
   region lies between a bead of the first rank beyond it, outside of its own region by the extent,
   and a partner, by as much outside of its own. Of up to three regions along an axis all are
   neighbours, and they may be thinner. Status 2, with what fits, if others would be. Local. */
void regions_set_reach(struct regions *g, double reach, double extent, const double box[BOX]);
/* The largest number of slabs of at least this thickness in a length, nm; at least 3, since up to
   three slabs are all neighbours and may be thinner. Local. */
int regions_most_slabs(double thickness, double length);
/* The largest reach of a halo, nm, that the present number of slabs allows for this extent. Local.
 */
double regions_most_reach(const struct regions *g, double extent, const double box[BOX]);
/* The same for the best grid of `size` ranks. Local. */
double regions_widest_reach(int size, double extent, const double box[BOX]);
/* The first cut whose slabs would be thinner than allowed (thickness, nm) in a box; -1: none.
   Local. */
int regions_thin_cut(const struct regions *g, double thickness, const double box[BOX]);
/* 1 if there is a grid of `size` regions of at least this thickness, nm. Local. */
int regions_fit_somehow(int size, double thickness, const double box[BOX]);
/* Writes into text that the regions would be thinner than `thickness` in a box, nm, which numbers
   of ranks near the present one fit, and as which grid. Local. */
enum { REGIONS_TEXT = 480 };
void regions_explain(const struct regions *g, double thickness, const double box[BOX],
                     char text[REGIONS_TEXT]);
/* Sets the bounds for equal numbers of beads along each cut, with no slab thinner than its least
   thickness. Collective. */
void regions_balance(struct regions *g, const struct ranks *r, struct backend *b);
/* Moves bounds so that no slab is thinner than its least thickness. Local; the same on all ranks.
 */
void regions_widen(struct regions *g);

/* What the choice of a grid depends on. */
struct region_choice {
  double box[BOX];
  double reach, thickness; /* nm; of the halo, and the least of a region */
  int axis;                /* of slabs */
  int64_t n_total;
  double bead, message; /* cost of a bead of the halo, and of a message to a peer, in one unit of
                           time, whichever */
};

/* What a grid gives a rank of average density. */
struct region_load {
  int fits;         /* regions are thick enough */
  double own, halo; /* beads */
  int peers;
};
struct region_load regions_load(const struct region_choice *c, const int n[CUTS]);
/* The grid of `size` ranks with the lowest estimated cost: halo beads of a rank, at average
   density, times c->bead plus peers times c->message. Slabs if grids cost the same or none fits.
   Local. */
void regions_choose(const struct region_choice *c, int size, int n[CUTS]);
/* The largest number of ranks for which a box has a grid. Local. */
int64_t regions_most_ranks(double thickness, const double box[BOX]);

#endif
