/* Writing of GROMACS configurations (.gro). */
#ifndef GRO_H
#define GRO_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

enum { GRO_DIGITS_LEAST = 3, GRO_DIGITS_MOST = 12 };

/* Writes positions (nm) with so many decimals, molecules made whole along their bonds, and
   velocities (nm/ps) with one more. Names and residues are those of the force field, or its types
   and molecules. Dies with STATUS_IO if that fails. Collective. */
void gro_write(const struct ranks *r, const char *path, const struct system *s, int digits);

#endif
