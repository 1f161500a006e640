/* Bead arrays as 32-bit words: reordering beads, packing them as records for migration, and
   unpacking such records. blockIdx.y is the array. */
#include "cuda/lists/sort.h"
#include "cuda/runtime/chain.cuh"

/* A launch with a thread for each word of the largest array, and a row for each array. */
static struct chained_launch arrays_launch(struct gpu *c, const struct bead_arrays *all, int64_t n,
                                           int after)
{
  int most = 0;
  for (int k = 0; k < all->n; k++)
    most = all->array[k].words > most ? all->array[k].words : most;
  struct chained_launch how = chain_in_main(c, n * most, THREADS, after);
  how.rows = all->n;
  return how;
}

/* Each thread copies EACH words, so that many loads are in flight. */
enum { EACH = 4 };
static __global__ void gather(const __grid_constant__ struct bead_arrays c, int n, const int *order)
{
  const struct bead_array array = c.array[blockIdx.y];
  const uint32_t words = (uint32_t)array.words, first = blockIdx.x * THREADS * EACH + threadIdx.x;
  uint32_t word[EACH];
  chain_both();
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    uint32_t t = first + (uint32_t)e * THREADS, k = t / words;
    if (k < (uint32_t)n) word[e] = array.data[(int64_t)order[k] * words + (t - k * words)];
  }
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    uint32_t t = first + (uint32_t)e * THREADS;
    if (t / words < (uint32_t)n) array.spare[t] = word[e];
  }
}

void cuda_arrays_gather(struct gpu *c, int n)
{
  struct bead_arrays all = cuda_bead_arrays(c, 0);
  launch_chained(arrays_launch(c, &all, launch_blocks(n, EACH), c->sorting->counted), gather, all,
                 n, c->sorting->order);
  cuda_arrays_swap(c);
}

/* Copies n beads to records, which clears their ids; or with PACK 0 records to beads. index: of the
   beads; NULL: first, first + 1, ... */
template <int PACK>
static __global__ void records_copy(const __grid_constant__ struct bead_arrays c, int n,
                                    const int *index, int first, uint32_t *record)
{
  const struct bead_array array = c.array[blockIdx.y];
  uint32_t words = (uint32_t)array.words, t = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t k = t / words, w = t - k * words;
  if (k >= (uint32_t)n) return;
  uint32_t *bead = &array.data[(PACK ? (int64_t)index[k] : first + (int64_t)k) * words + w];
  uint32_t *at = &record[(int64_t)k * c.words + array.offset + w];
  if (!PACK) *bead = *at;
  if (PACK) *at = *bead;
  if (PACK && (int)blockIdx.y == c.id) *bead = 0;
}

template <int PACK>
static void records_launch(struct gpu *c, int n, const int *index, int first, uint32_t *record)
{
  const struct bead_arrays all = cuda_bead_arrays(c, 1);
  launch_chained(arrays_launch(c, &all, n, 0), records_copy<PACK>, all, n, index, first, record);
}

void cuda_arrays_pack(struct gpu *c, int n, const int *index, uint32_t *record)
{
  records_launch<1>(c, n, index, 0, record);
}

void cuda_arrays_unpack(struct gpu *c, int n, int first, const void *record)
{
  records_launch<0>(c, n, NULL, first, (uint32_t *)record);
}
