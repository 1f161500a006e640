/* The subset that stands for many equal things: all of them up to SUBSET_MOST, else SUBSET_MOST of
   them at equal distances in their order. */
#ifndef SUBSET_H
#define SUBSET_H

#include <stdint.h>

enum { SUBSET_MOST = 20000 };

static inline int64_t subset_size(int64_t n)
{
  return n < SUBSET_MOST ? n : SUBSET_MOST;
}

/* 1 if thing k of n is in the subset: thing j of the subset is thing floor(j n/size) of all. */
static inline int subset_has(int64_t n, int64_t k)
{
  const int64_t size = subset_size(n), j = (k * size + n - 1) / n;
  return j < size && j * n / size == k;
}

#endif
