/* Chained launches (programmatic dependent launch, compute capability 9.0): a kernel begins while
   the one before it in its stream ends. The last blocks of a kernel leave part of the GPU idle;
   blocks of the next fill it, do what does not depend on the kernel before, and then wait for its
   end. */
#ifndef CHAIN_CUDA_CUH
#define CHAIN_CUDA_CUH

#include "cuda/runtime/device.cuh"

/* Kernels that are launched in chains only are empty in code for GPUs that have none (struct
   gpu_limits). */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
enum { HAS_CHAINS = 0 };
#else
enum { HAS_CHAINS = 1 };
#endif

/* Blocks of the next kernel, if it is chained, may start as soon as all blocks of this one have
   called it or ended. */
DEVICE void chain_start_next(void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Waits for the end of the kernel before, if this one is chained to it; what that has stored is
   visible from here on. Every thread of a chained kernel calls it, also one that reads nothing: so
   a kernel ends after all kernels of the chain before it. */
DEVICE void chain_wait(void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Launches with n threads in all, in blocks of so many. Does nothing if n is 0. */
struct chained_launch {
  int64_t n;
  int threads, bytes; /* of a block */
  int after;          /* 1: chained to the kernel before it in the stream */
  int carveout;       /* share of shared memory in a multiprocessor, percent; -1: the driver's */
  cudaStream_t stream;
};

template <typename... Parameters, typename... Arguments>
static void launch_chained(const struct chained_launch &how, void (*kernel)(Parameters...),
                           const Arguments &...arguments)
{
  cudaLaunchAttribute overlap = {};
  cudaLaunchConfig_t config = {};
  if (how.n == 0) return;
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = dim3((unsigned)launch_blocks(how.n, how.threads));
  config.blockDim = dim3((unsigned)how.threads);
  config.dynamicSmemBytes = (size_t)how.bytes;
  config.stream = how.stream;
  config.attrs = &overlap;
  config.numAttrs = how.after ? 1 : 0;
  if (how.carveout >= 0)
    CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, how.carveout));
  CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
}

#endif
