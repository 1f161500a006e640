/* The sources of a map: beads with a charge or a dipole, and how they are sorted into bins. */
#ifndef SOURCES_H
#define SOURCES_H

#include "maps/map.h"
#include "model/bead_group.h"
#include "model/system.h"

/* A source before it is sorted. */
struct map_charge {
  double x[3]; /* nm */
  double q;    /* e */
  double p[3]; /* e nm */
};

/* Those of this rank, in the order of the input, in which ranks follow each other. */
struct map_charges {
  int64_t n;
  struct map_charge *charge;
};

/* Whether types that are chosen (NULL: all) have charges, dipoles: bits 1 and 2. */
int sources_amounts(const struct forcefield *ff, const char *chosen);

/* The beads of this rank's block with a charge or a dipole, in the order of their ids; positions
   inside the box. from: a group that is found; NULL: all. The caller frees them. Local. */
struct map_charges sources_of_system(const struct system *y, const struct bead_group *from);

/* The edge (nm) of bins for a cutoff: about 6 of the n sources of all ranks in each if they fill
   the torus evenly, but at least an eighth of the cutoff and at most the cutoff. */
double sources_bin(const struct map_torus *t, int64_t n, double cutoff);
/* Sets the number of bins in each direction, whose edges are at least `bin` nm; bin <= 0: one bin.
   There are at most some tens of bins for each of the n sources of all ranks, so that sparse
   sources have larger ones. */
void sources_bins(const struct map_torus *t, int64_t n, double bin, int bins[3]);
/* The bin of a coordinate on the torus along a direction with so many. */
static inline int sources_bin_at(int32_t x, int bins)
{
  return (int)((uint64_t)(uint32_t)x * (uint64_t)bins >> 32);
}
/* A source with its position on the torus. */
struct map_source sources_on_torus(const struct map_charge *c, const struct map_torus *t);

/* Sorts n sources, in the order of the input, all in the bins [low, low + held) of each direction
   (struct map_sources). Dies with status 2 above INT_MAX - 1 sources. The caller destroys the
   result. Local. */
struct map_sources *sources_sort(const struct map_source *source, int64_t n, const int bins[3],
                                 const int low[3], const int held[3]);
void sources_destroy(struct map_sources *s);

#endif
