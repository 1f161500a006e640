/* The lattice of points of a map, its torus, and its planes on this rank. */
#ifndef MAP_LATTICE_H
#define MAP_LATTICE_H

#include "maps/map.h"

/* A coordinate in nm on a torus, rounded to its unit. */
int32_t lattice_on_torus(const struct map_torus *t, int k, double x);

/* The torus of a periodic box: its edges, from 0. */
struct map_torus lattice_torus_box(const double box[3]);
/* The torus for open boundaries: low ... high contains all sources and points. Differences within
   the cutoff (<= 0: all differences) do not meet across its edges. */
struct map_torus lattice_torus_open(const double low[3], const double high[3], double cutoff);

/* A lattice of n points from origin on, and the planes of a rank: whole blocks of MAP_BLOCK planes
   where there are as many blocks as ranks. The caller destroys it. Local. */
struct map_lattice *lattice_create(const struct map_torus *t, const int n[3],
                                   const double origin[3], const double spacing[3], int rank,
                                   int size);
void lattice_destroy(struct map_lattice *l);
/* The first plane of a rank; rank = size gives n. */
int lattice_first(int n, int rank, int size);
/* The rank that has a plane. */
int lattice_rank(int n, int plane, int size);

#endif
