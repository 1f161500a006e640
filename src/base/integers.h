/* Whole numbers: limited to a range, divided by each other, found among others. */
#ifndef INTEGERS_H
#define INTEGERS_H

#include <stdint.h>

#include "base/hd.h"

/* The number of [low, high], low <= high, that is nearest to value. */
static inline int64_t clip(int64_t value, int64_t low, int64_t high)
{
  return value < low ? low : value > high ? high : value;
}

/* The greatest common divisor; of a and 0 it is a. Not negative for such numbers. */
static inline int64_t common_divisor(int64_t a, int64_t b)
{
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The index of the first of n numbers, ascending, that is not below a value; n: all are. On host
   and device. */
HD int64_t search_ascending(const int64_t *number, int64_t n, int64_t value)
{
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (number[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

#endif
