/* Bead arrays as columns of 32-bit words: reordering beads, packing them as records for migration,
   and unpacking such records. blockIdx.y is the column. */
#include "cuda/lists/sort.h"
#include "cuda/runtime/device.cuh"

static dim3 columns_blocks(const struct columns *c, int64_t n)
{
  int most = 0;
  for (int k = 0; k < c->n; k++)
    most = c->column[k].words > most ? c->column[k].words : most;
  return dim3((unsigned)launch_blocks(n * most, THREADS), (unsigned)c->n);
}

/* Each thread copies EACH words, so that many loads are in flight. */
enum { EACH = 4 };
static __global__ void gather(const __grid_constant__ struct columns c, int n, const int *order)
{
  const struct column column = c.column[blockIdx.y];
  const uint32_t words = (uint32_t)column.words, first = blockIdx.x * THREADS * EACH + threadIdx.x;
  uint32_t word[EACH];
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    uint32_t t = first + (uint32_t)e * THREADS, k = t / words;
    if (k < (uint32_t)n) word[e] = column.data[(int64_t)order[k] * words + (t - k * words)];
  }
#pragma unroll
  for (int e = 0; e < EACH; e++) {
    uint32_t t = first + (uint32_t)e * THREADS;
    if (t / words < (uint32_t)n) column.spare[t] = word[e];
  }
}

void cuda_columns_gather(struct gpu *c, int n)
{
  struct columns all = cuda_columns(c);
  if (n > 0) {
    gather<<<columns_blocks(&all, launch_blocks(n, EACH)), THREADS, 0, c->streams->main>>>(
        all, n, c->sorting->order);
    CUDA_LAUNCHED("gather");
  }
  cuda_columns_swap(c);
}

/* The offset of a column in a record, in words. */
DEVICE int column_offset(const struct columns &c, int column)
{
  int at = 0;
  for (int k = 0; k < column; k++)
    at += c.column[k].words;
  return at;
}

static __global__ void pack(const __grid_constant__ struct columns c, int n, const int *index,
                            uint32_t *record)
{
  const struct column column = c.column[blockIdx.y];
  uint32_t words = (uint32_t)column.words, t = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t k = t / words, w = t - k * words;
  if (k >= (uint32_t)n) return;
  uint32_t *from = &column.data[(int64_t)index[k] * words + w];
  record[(int64_t)k * c.words + column_offset(c, (int)blockIdx.y) + w] = *from;
  if ((int)blockIdx.y == c.id) *from = 0;
}

static __global__ void unpack(const __grid_constant__ struct columns c, int n, int first,
                              const uint32_t *record)
{
  const struct column column = c.column[blockIdx.y];
  uint32_t words = (uint32_t)column.words, t = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t k = t / words, w = t - k * words;
  if (k < (uint32_t)n)
    column.data[(int64_t)first * words + t] =
        record[(int64_t)k * c.words + column_offset(c, (int)blockIdx.y) + w];
}

void cuda_columns_pack(struct gpu *c, int n, const int *index, uint32_t *record)
{
  struct columns all = cuda_columns(c);
  if (n == 0) return;
  pack<<<columns_blocks(&all, n), THREADS, 0, c->streams->main>>>(all, n, index, record);
  CUDA_LAUNCHED("pack");
}

void cuda_columns_unpack(struct gpu *c, int n, int first, const void *record)
{
  struct columns all = cuda_columns(c);
  if (n == 0) return;
  unpack<<<columns_blocks(&all, n), THREADS, 0, c->streams->main>>>(all, n, first,
                                                                    (const uint32_t *)record);
  CUDA_LAUNCHED("unpack");
}

static __global__ void begin(int n, const int32_t *position, int32_t *build, int32_t *old)
{
  int64_t k = thread_index();
  if (k >= n) return;
  old[k] = build[k];
  build[k] = position[k];
}

void cuda_columns_begin(struct gpu *c)
{
  LAUNCH(begin, 3 * c->base.n, THREADS, c, 3 * c->base.n, c->arrays->beads.position,
         c->arrays->beads.build_position, c->arrays->old_position);
}
