/* The compressed coordinates of XTC files of GROMACS ("3dfcoord" of libxdrf). The beads of a frame
   are passed twice, in the same order and in pieces of any size: they are scanned, then packed. So
   memory does not grow with their number. Local. */
#ifndef XTC_PACK_H
#define XTC_PACK_H

#include <stdint.h>
#include <stdio.h>

/* What stands before the bits in the file, but for their bytes. */
struct xtc_packed {
  int32_t least[3], most[3]; /* of the coordinates, in steps of 1/precision */
  int32_t index;             /* of the first size of a small difference */
};

struct xtc_packer;

enum { XTC_PACK_BYTES = 16 }; /* per bead, and as many more: the most that bits need */

/* Coordinates as whole numbers of steps. 0 if one does not fit. */
int xtc_round(const double position[3], double precision, int32_t x[3]);

struct xtc_packer *xtc_packer_create(void);
void xtc_packer_destroy(struct xtc_packer *p);
/* Begins a frame. */
void xtc_scan_begin(struct xtc_packer *p);
void xtc_scan(struct xtc_packer *p, const int32_t (*x)[3], int64_t n);
/* After the scan of at least one bead. Coordinates span less than 2^31 - 2 along each axis: else
   0. */
int xtc_pack_begin(struct xtc_packer *p, struct xtc_packed *head);
/* Writes the bits of the beads, but for those that may depend on later beads. */
void xtc_pack(struct xtc_packer *p, const int32_t (*x)[3], int64_t n, FILE *out);
/* Writes what is left. Returns the bytes of the frame. */
int64_t xtc_pack_end(struct xtc_packer *p, FILE *out);

#endif
