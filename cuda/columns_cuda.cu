/* Beads moved about as columns of 32-bit words: put in another order, packed into records to
   travel, unpacked, moved into gaps. A block of threads works on one column. */
#include "device_cuda.cuh"

static dim3 columns_blocks(const struct columns *c, int64_t n)
{
  int most = 0;
  for (int k = 0; k < c->n; k++)
    most = c->column[k].words > most ? c->column[k].words : most;
  return dim3((unsigned)launch_blocks(n * most, THREADS), (unsigned)c->n);
}

/* EACH words a thread, so that many are under way. */
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
    gather<<<columns_blocks(&all, launch_blocks(n, EACH)), THREADS, 0, c->stream>>>(all, n,
                                                                                    c->order);
    CUDA_LAUNCHED("gather");
  }
  cuda_columns_swap(c);
}

/* The place of a column in a record, in words. */
static __device__ __forceinline__ int column_offset(const struct columns &c, int column)
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
  if (k < (uint32_t)n)
    record[(int64_t)k * c.words + column_offset(c, (int)blockIdx.y) + w] =
        column.data[(int64_t)index[k] * words + w];
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

void cuda_columns_pack(struct gpu *c, int n, const int *index)
{
  struct columns all = cuda_columns(c);
  if (n == 0) return;
  pack<<<columns_blocks(&all, n), THREADS, 0, c->stream>>>(all, n, index, c->packed);
  CUDA_LAUNCHED("pack");
}

void cuda_columns_unpack(struct gpu *c, int n, int first, const void *record)
{
  struct columns all = cuda_columns(c);
  if (n == 0) return;
  unpack<<<columns_blocks(&all, n), THREADS, 0, c->stream>>>(all, n, first,
                                                             (const uint32_t *)record);
  CUDA_LAUNCHED("unpack");
}

static __global__ void move(const __grid_constant__ struct columns c, const int *n, const int *to,
                            const int *from)
{
  const struct column column = c.column[blockIdx.y];
  uint32_t words = (uint32_t)column.words, t = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t k = t / words, w = t - k * words;
  if (k < (uint32_t)*n)
    column.data[(int64_t)to[k] * words + w] = column.data[(int64_t)from[k] * words + w];
}

void cuda_columns_move(struct gpu *c, int most, const int *n, const int *to, const int *from)
{
  struct columns all = cuda_columns(c);
  if (most == 0) return;
  move<<<columns_blocks(&all, most), THREADS, 0, c->stream>>>(all, n, to, from);
  CUDA_LAUNCHED("move");
}
