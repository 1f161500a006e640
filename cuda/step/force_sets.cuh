/* The kernels of all sets of pair terms, in the precision of the unit that includes this. */
#ifndef FORCE_SETS_CUDA_CUH
#define FORCE_SETS_CUDA_CUH

#include <assert.h>

#include "cuda/step/force_set.cuh"
#include "pair/pair_sets.h"

#define SET(name, bits) extern "C" const struct force_set FORCE_SET_NAME(name, PRECISION);
PAIR_SETS(SET)
#undef SET

/* set: one of PAIR_SETS. */
static const struct force_set *force_set_of(unsigned set)
{
  static const struct force_set *const all[] = {
#define SET(name, bits) &FORCE_SET_NAME(name, PRECISION),
      PAIR_SETS(SET)
#undef SET
  };
  const int n = (int)(sizeof all / sizeof all[0]);
  int k = 0;
  while (k < n && all[k]->terms != set)
    k++;
  assert(k < n);
  return all[k];
}

#endif
