/* Which rank owns a point, on host and device. */
#ifndef DOMAIN_H
#define DOMAIN_H

#include <stdint.h>

#include "base/hd.h"

/* The slab [bound[r], bound[r + 1]) of size slabs that a coordinate lies in. */
HD int slab_owner(uint32_t x, int size, const uint64_t *bound)
{
  int low = 0, high = size;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (x >= bound[middle])
      low = middle;
    else
      high = middle;
  }
  return low;
}

#endif
