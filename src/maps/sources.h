/* The sources of a map: beads with a charge or a dipole, gathered on every rank and sorted into
 * bins. */
#ifndef SOURCES_H
#define SOURCES_H

#include "maps/map.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* A source before it is sorted. */
struct map_charge {
  double x[3]; /* nm */
  double q;    /* e */
  double p[3]; /* e nm */
};

/* In the order of the input, the same on all ranks. */
struct map_charges {
  int64_t n;
  struct map_charge *charge;
};

/* The beads of a system with a charge or a dipole, in the order of their ids; positions inside the
   box. chosen[type]: 1 if beads of the type are sources; NULL: all. Collective. */
struct map_charges sources_of_system(const struct ranks *r, const struct system *y,
                                     const char *chosen);
void sources_charges_free(struct map_charges *c);

/* The edge (nm) of bins for a cutoff: about 6 sources in each if they fill the torus evenly, but at
   least an eighth of the cutoff and at most the cutoff. */
double sources_bin(const struct map_torus *t, int64_t n, double cutoff);
/* Sorts sources into bins whose edges are at least `bin` nm; bin <= 0: one bin. There are at most
   some tens of bins for each source, so that sparse sources have larger ones. The caller destroys
   the result. Local. */
struct map_sources *sources_sort(const struct map_charges *c, const struct map_torus *t,
                                 double bin);
void sources_destroy(struct map_sources *s);

#endif
