/* Reads PQR files: positions, charges and radii of atoms, one line an atom, fields separated by
   white space as in APBS (Dolinsky et al., Nucleic Acids Res. 32, W665, 2004). */
#ifndef PQR_H
#define PQR_H

#include <stdint.h>

#include "mpi/comm/ranks.h"

/* Atoms of a rank: a block, in the order of the file, in which ranks follow each other. */
struct pqr {
  int64_t n;
  double *x; /* [n][3]; nm */
  double *q; /* [n]; e */
};

/* Reads the lines that begin with ATOM or HETATM, up to a line END, and passes over others. Their
   last five fields are x, y, z (angstrom), charge (e) and radius, which is checked and not kept.
   Dies with STATUS_INPUT and the line for what is no such line, and if there is no atom. Rank 0
   reads all; then each rank has its block, of equal size but for one atom. Collective. */
void pqr_read(const struct ranks *r, const char *path, struct pqr *p);
void pqr_free(struct pqr *p);

#endif
