/* MAP_FULL: the periodic solution of Poisson's equation on the lattice by fast Fourier transforms.
   It is the reciprocal-space part of a smooth particle mesh Ewald sum (Essmann et al., J. Chem.
   Phys. 103, 8577, 1995; as a map: Aksimentiev and Schulten, Biophys. J. 88, 3745, 2005): the
   potential of the sources with each point charge and point dipole replaced by a Gaussian of
   standard deviation sigma, the largest of the three spacings. Beyond four spacings from every
   source that is the potential of the points themselves.

   Charges are assigned to the lattice by cardinal B-splines of order 4, dipoles by the gradient of
   the same function, and the transform is divided by that of the spline. The wave vector 0 is left
   out: the mean potential is zero, a net charge has a uniform background of opposite charge, and
   the surroundings conduct (tin foil).

   The lattice must span the box, with spacing edge / n. Planes must be divided in the order of
   ranks. All arithmetic is in double precision; values are rounded to float where the job says so.
   They are the same bits for any number of ranks; CPUs and GPUs agree to rounding. */
#ifndef MAP_FULL_H
#define MAP_FULL_H

#include "maps/map.h"
#include "mpi/comm/ranks.h"

/* NULL if this build and this computer can compute MAP_FULL, on CPUs or (cuda 1) on GPUs, else why
   not and what to install. Local. */
const char *map_full_why_not(int cuda);
/* Bytes that a rank with `count` planes of n[2] needs beside its values: host memory, or (cuda 1)
   device memory. Local. */
double map_full_bytes(const int n[3], int count, int ranks, int cuda);
/* Adds to a sum (e) the bound on what n sources add to any one point of a lattice. Local. */
double map_full_bound(const struct map_job *job, const struct map_source *source, int64_t n,
                      double sum);

struct map_full;

/* Begins a map without sources. bound: that of all sources of all ranks, above 0; the same on all
   ranks. job, which needs no sources, and ranks are borrowed until map_full_end. Collective. */
struct map_full *map_full_begin(const struct map_job *job, const struct ranks *ranks, int cuda,
                                double bound);
/* Adds n sources, host memory, to the planes of this rank. Each source must be added on the ranks
   with planes within two spacings of it along z; others leave their planes as they are. Local. */
void map_full_add(struct map_full *m, const struct map_source *source, int64_t n);
/* Sets value[count][n[1]][n[0]], host memory: float, or double with double_precision. Frees m.
   Collective. */
void map_full_end(struct map_full *m, void *value);

#endif
