/* Chained passes: launches of several passes without energies in a row, of which each begins while
   the one before it ends (programmatic dependent launch, compute capability 9.0). The last blocks
   of a pass leave part of the GPU idle; blocks of the next pass fill it. They compute their pair
   sums from records that no pass writes, and wait for the end of the passes before only when they
   add to their forces, so that the order of sums is the same as without a chain. */
#ifndef FORCE_CHAIN_CUDA_CUH
#define FORCE_CHAIN_CUDA_CUH

#include "cuda/step/force_set.cuh"

/* Code for GPUs that have none (cuda_passes_chain) leaves the chained kernels empty. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
enum { HAS_CHAINS = 0 };
#else
enum { HAS_CHAINS = 1 };
#endif

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
