/* MAP_FULL: the periodic solution of Poisson's equation on the lattice by fast Fourier transforms.

   Charges are assigned to the lattice by cardinal B-splines of order 4 (Essmann et al., J. Chem.
   Phys. 103, 8577, 1995), dipoles by the gradient of the same function. The potential of wave
   vector k is 4 pi C rho(k) / k^2; that of k = 0 is zero: the mean potential is zero, charges that
   do not sum to zero have a uniform background, and the surroundings conduct (tin foil). So each
   source is seen smeared over two spacings to each side.

   The lattice must span the box, at points box low + i edge / n. All arithmetic is in double
   precision; values are rounded to float where the job says so. Rank planes must be divided in the
   order of ranks. On CPUs the same bits for any number of ranks. */
#ifndef MAP_FULL_H
#define MAP_FULL_H

#include "maps/map.h"
#include "mpi/comm/ranks.h"

/* NULL if this build and this computer can compute MAP_FULL, on CPUs or on GPUs (cuda), else why
   not and what to install. Local. */
const char *map_full_why_not(int cuda);
/* Bytes that a rank with `count` planes needs beside its values, in host memory, or (cuda) in
   device memory. */
double map_full_bytes(const struct map_lattice *lattice, int count, int ranks, int cuda);
/* Sets value[count][n[1]][n[0]], host memory: float, or double with double_precision. Collective.
 */
void map_full(const struct map_job *job, const struct ranks *ranks, int cuda, void *value);

#endif
