/* The two largest displacements of all atoms, which end a list in Figure 11 of the paper of
   steps.cu, in two stages as in its Figures 12 and 13: those of each block, then those of all
   blocks. Beside it the largest alone, by warps and one atomic maximum each, as Lamella has it. */
#ifndef STEPS_LARGEST_H
#define STEPS_LARGEST_H

#include "steps_costs.h"

/* Squares of the largest displacement and of the second. */
struct two {
  float most, second;
};

static __device__ inline struct two two_join(struct two a, struct two b)
{
  const struct two t = {fmaxf(a.most, b.most),
                        fmaxf(fminf(a.most, b.most), fmaxf(a.second, b.second))};
  return t;
}

static __device__ inline float moved2(const float4 *x, const float4 *before, int i)
{
  const float4 a = x[i], b = before[i];
  const float dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  return fmaf(dx, dx, fmaf(dy, dy, dz * dz));
}

/* Of all threads of a block; right in its first thread. */
static __device__ struct two block_join(struct two t)
{
  __shared__ struct two part[512];
  part[threadIdx.x] = t;
  for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
    __syncthreads();
    if (threadIdx.x < k) part[threadIdx.x] = two_join(part[threadIdx.x], part[threadIdx.x + k]);
  }
  return part[threadIdx.x];
}

static __global__ void first_stage(const float4 *x, const float4 *before, struct two *of_block)
{
  struct two t = {moved2(x, before, thread_of()), 0};
  t = block_join(t);
  if (threadIdx.x == 0) of_block[blockIdx.x] = t;
}

static __global__ void second_stage(unsigned blocks, const struct two *of_block, struct two *all)
{
  struct two t = {0, 0};
  for (unsigned k = threadIdx.x; k < blocks; k += blockDim.x)
    t = two_join(t, of_block[k]);
  t = block_join(t);
  if (threadIdx.x == 0) *all = t;
}

/* The bits of numbers that are not negative have their order. */
static __global__ void warp_stage(const float4 *x, const float4 *before, unsigned *most)
{
  unsigned v = __float_as_uint(moved2(x, before, thread_of()));
  for (int k = 16; k > 0; k /= 2)
    v = max(v, __shfl_xor_sync(0xffffffffu, v, k));
  if (threadIdx.x % 32 == 0 && v > *(volatile unsigned *)most) atomicMax(most, v);
}

/* Ends the program if both ways do not find what the host finds. */
static void largest_check(const struct run *r, const struct two *all, const unsigned *most)
{
  const size_t bytes = (size_t)r->s.n * sizeof(float4);
  float4 *x = (float4 *)room(1, bytes), *before = (float4 *)room(1, bytes);
  struct two t;
  float alone;
  copy(r, x, r->s.x[0], bytes);
  copy(r, before, r->v, bytes);
  copy(r, &t, all, sizeof t);
  copy(r, &alone, most, sizeof alone);
  const double want = displacement_of(r->s.n, x, before);
  const double off = fabs(sqrt((double)t.most) + sqrt((double)t.second) - want);
  if (!(off <= 1e-5 * want) || alone != t.most) fail(1, "the largest displacements are wrong", "");
  free(x);
  free(before);
}

/* Milliseconds of 100. Positions beside velocities, so that displacements differ. */
static void largest_measure(const struct options *o, const struct run *r)
{
  const dim3 grid(blocks_of(r)), block((unsigned)r->block);
  struct two *of_block, *all;
  unsigned *most;
  CUDA(cudaMalloc(&of_block, grid.x * sizeof *of_block));
  CUDA(cudaMalloc(&all, sizeof *all));
  CUDA(cudaMalloc(&most, CALLS * sizeof *most));
  const auto reset = [&] {
    run_restore(r);
    CUDA(cudaMemsetAsync(most, 0, CALLS * sizeof *most, r->stream));
  };
  events_print(o, r, "largest", "two stages x 100", "ms", 1e3, reset, [&] {
    for (int k = 0; k < CALLS; k++) {
      first_stage<<<grid, block, 0, r->stream>>>(r->s.x[0], r->v, of_block);
      second_stage<<<1, 512, 0, r->stream>>>(grid.x, of_block, all);
    }
  });
  events_print(o, r, "largest", "warps and atomics x 100", "ms", 1e3, reset, [&] {
    for (int k = 0; k < CALLS; k++)
      warp_stage<<<grid, block, 0, r->stream>>>(r->s.x[0], r->v, most + k);
  });
  CUDA(cudaGetLastError());
  largest_check(r, all, most);
  CUDA(cudaFree(of_block));
  CUDA(cudaFree(all));
  CUDA(cudaFree(most));
}

#endif
