/* What pair kernels gather: one 16-byte record of position and type, beside records of axes in
   working precision (struct axis_record, 16 or 32 bytes). */
#ifndef BEAD_RECORD_H
#define BEAD_RECORD_H

#include <stdint.h>

/* Aligned, so that a GPU loads it at once. */
struct bead_record {
  int32_t x[3];
  int32_t type;
} __attribute__((aligned(16)));

#endif
