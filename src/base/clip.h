/* A number limited to a range. */
#ifndef CLIP_H
#define CLIP_H

#include <stdint.h>

/* The number of [low, high], low <= high, that is nearest to value. */
static inline int64_t clip(int64_t value, int64_t low, int64_t high)
{
  return value < low ? low : value > high ? high : value;
}

#endif
