/* The sums of forces and of motion together. */
#ifndef SUMS_CUDA_CUH
#define SUMS_CUDA_CUH

#include "cuda/runtime/device.cuh"
#include "cuda/step/step.h"

enum { SUMS_THREADS = 128 }; /* threads of a block that adds or copies sums */

/* Copies a struct word by word with all threads of a block, so that loads overlap.
   Block-collective, without a barrier. */
template <typename Struct> DEVICE void block_copy(Struct *to, const Struct *from)
{
  static_assert(sizeof(Struct) % sizeof(int64_t) == 0, "it is copied in words of 64 bits");
  for (int k = (int)threadIdx.x; k < (int)(sizeof(Struct) / sizeof(int64_t)); k += (int)blockDim.x)
    ((int64_t *)to)[k] = ((const int64_t *)from)[k];
}

/* Sets all to forces + motion, and motion to 0; one thread per word. Block-collective. */
DEVICE void sums_add_block(const struct sums *forces, struct sums *motion, struct sums *all)
{
  const int k = (int)threadIdx.x;
  static_assert(sizeof(struct sums) <= SUMS_THREADS * sizeof(int64_t), "a thread for each word");
  if (k >= (int)(sizeof(struct sums) / sizeof(int64_t))) return;
  ((int64_t *)all)[k] = ((const int64_t *)forces)[k] + ((const int64_t *)motion)[k];
  ((int64_t *)motion)[k] = 0;
}

#endif
