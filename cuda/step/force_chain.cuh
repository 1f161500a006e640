/* Chained passes: launches of several passes without energies in a row, of which each begins while
   the one before it ends (programmatic dependent launch, compute capability 9.0). The last blocks
   of a pass leave part of the GPU idle; blocks of the next pass fill it. They compute their pair
   sums from records that no pass writes, and wait for the end of the passes before only when they
   add to their forces, so that the order of sums is the same as without a chain. */
#ifndef FORCE_CHAIN_CUDA_CUH
#define FORCE_CHAIN_CUDA_CUH

#include "cuda/step/force_pass.cuh"

/* Blocks of the next pass may start as soon as all blocks of this one have called it or ended. */
static __device__ __forceinline__ void chain_start_next(void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Waits for the end of the pass before; what it has stored is visible from here on. Every thread of
   a chained pass calls it, also one that reads nothing: a pass ends after all passes before it. */
static __device__ __forceinline__ void chain_wait(void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Shared memory of a block, in bytes, of a pass with the terms set. */
static int pass_bytes(unsigned set, const struct force_coefs &coefs)
{
  return coefs.types * coefs.types * coef_reals(set) * (int)sizeof(real);
}

struct chain {
  int passes;   /* in all; 1: not chained */
  int begun;    /* 1: one of them has been launched */
  int carveout; /* of their kernels: share of shared memory, percent */
  cudaStream_t stream;
};

/* Two kernels share a multiprocessor only if it is divided into L1 cache and shared memory alike
   for both. So all passes have the same division: that which suffices for BLOCKS of the largest. */
static int chain_carveout(const struct gpu *c)
{
  enum { BLOCKS = 8, SYSTEM_BYTES = 1024 }; /* SYSTEM_BYTES: taken by each block besides */
  const struct cuda_model *m = (const struct cuda_model *)c->coefficients.model;
  int most = 0;
  for (int k = 0; k < m->model.n_passes; k++) {
    const int bytes = pass_bytes(m->model.pass[k].plan.set, m->force[k]);
    if (bytes > most && bytes <= SHARED_BYTES) most = bytes;
  }
  const int64_t percent = (int64_t)100 * BLOCKS * (most + SYSTEM_BYTES) / c->limits.shared_bytes;
  return percent < 99 ? (int)percent + 1 : 100;
}

/* The chain of the passes of a step in streams.main. */
static struct chain chain_of(const struct gpu *c)
{
  struct chain chain = {1, 0, 0, c->streams.main};
  if (!cuda_passes_chain(c)) return chain;
  chain.passes = c->coefficients.plan.n_passes;
  chain.carveout = chain_carveout(c);
  return chain;
}

/* The first pass waits for all work before it, as any kernel. Does nothing if threads is 0. */
static void chain_launch(struct chain *chain, void (*kernel)(struct force_pass), int64_t threads,
                         int block, int bytes, const struct force_pass &pass)
{
  cudaLaunchAttribute overlap = {};
  cudaLaunchConfig_t config = {};
  if (threads == 0) return;
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = dim3((unsigned)launch_blocks(threads, block));
  config.blockDim = dim3((unsigned)block);
  config.dynamicSmemBytes = (size_t)bytes;
  config.stream = chain->stream;
  config.attrs = &overlap;
  config.numAttrs = chain->begun ? 1 : 0;
  CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                            chain->carveout));
  CUDA(cudaLaunchKernelEx(&config, kernel, pass));
  chain->begun = 1;
}

#endif
