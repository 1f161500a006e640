/* The compressed coordinates of XTC files of GROMACS ("3dfcoord" of libxdrf). Local. */
#ifndef XTC_PACK_H
#define XTC_PACK_H

#include <stdint.h>

/* What stands before the bits in the file. */
struct xtc_packed {
  int32_t least[3], most[3]; /* of the coordinates, in steps of 1/precision */
  int32_t index;             /* of the first size of a small difference */
  int64_t bytes;
};

enum { XTC_PACK_BYTES = 16 }; /* per bead, and as many more: the most that bits need */

/* Coordinates as whole numbers of steps. 0 if one does not fit: then *bead says which. */
int xtc_round(const double (*position)[3], int64_t n, double precision, int32_t (*x)[3],
              int64_t *bead);
/* Packs n > 0 beads into out[XTC_PACK_BYTES * (n + 1)]. Coordinates span less than 2^31 - 2 along
   each axis: else 0, and nothing is packed. */
int xtc_pack(const int32_t (*x)[3], int64_t n, struct xtc_packed *head, unsigned char *out);

#endif
