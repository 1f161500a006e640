/* What pair kernels gather: one 16-byte record of position and type, beside one of axis and charge
   in working precision (16 or 32 bytes). */
#ifndef BEAD_RECORD_H
#define BEAD_RECORD_H

#include <stdint.h>

struct bead_record {
  int32_t x[3];
  int32_t type;
};

#endif
