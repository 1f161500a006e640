/* Values on a lattice as an OpenDX file, a text that VMD, PyMOL, ChimeraX and gridData of
   Python read: header and order (z fastest) as APBS writes them. */
#ifndef DX_H
#define DX_H

#include "io/map_file.h"

/* Writes origin and spacing in angstrom, and factor times the values with seven digits.
   comment: what the values are, one or more lines of text, without #. Written to PATH.tmp beside
   the file, and renamed when it is on the disk; a disk that is full ends the program and leaves
   what was at the path before. Collective. */
void dx_write(const struct ranks *r, const char *path, const struct map_grid *g, const void *value,
              double factor, const char *comment);
/* Reads such a file whole: sets *g, in nm, and returns its values [n[2]][n[1]][n[0]], which the
   caller frees. NULL: why says the reason, with the line. Local. */
enum { DX_WHY = 256 };
double *dx_read(const char *path, struct map_grid *g, char why[DX_WHY]);

#endif
