/* How kernels find the local index of an id. */
#ifndef IDS_CUDA_CUH
#define IDS_CUDA_CUH

#include "cuda/lists/bonded.h"
#include "cuda/runtime/device.cuh"

DEVICE uint64_t id_slot(const struct cuda_ids &ids, int64_t id)
{
  return ((uint64_t)id * 0x9e3779b97f4a7c15u >> 32) & ids.mask;
}

/* The local index of a bead; -1: this rank does not have it. */
DEVICE int id_index(const struct cuda_ids &ids, int64_t id)
{
  if (id < 1 || id > ids.n_total) return -1;
  if (ids.index) return ids.index[id];
  for (uint64_t k = id_slot(ids, id);; k = (k + 1) & ids.mask) {
    const uint64_t slot = ids.slot[k];
    if (slot == ID_FREE) return -1;
    if (slot >> ID_INDEX_BITS == (uint64_t)id) return (int)(slot & ((1u << ID_INDEX_BITS) - 1));
  }
}

DEVICE void id_insert(const struct cuda_ids &ids, int64_t id, int i)
{
  const uint64_t word = (uint64_t)id << ID_INDEX_BITS | (uint64_t)i;
  uint64_t k = id_slot(ids, id);
  while (atomicCAS((unsigned long long *)&ids.slot[k], ID_FREE, word) != ID_FREE)
    k = (k + 1) & ids.mask;
}

#endif
