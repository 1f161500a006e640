/* The greatest common divisor of two whole numbers; of a and 0 it is a. Not negative for such. */
#ifndef DIVISOR_H
#define DIVISOR_H

#include <stdint.h>

static inline int64_t common_divisor(int64_t a, int64_t b)
{
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

#endif
