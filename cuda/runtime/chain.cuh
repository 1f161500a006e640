/* Chained launches (programmatic dependent launch, compute capability 9.0): a kernel starts before
   the previous kernel in its stream has ended. Its blocks fill the multiprocessors that the last
   blocks of that kernel leave idle, do what does not depend on it, and then wait for its end. */
#ifndef CHAIN_CUDA_CUH
#define CHAIN_CUDA_CUH

#include "cuda/runtime/device.cuh"

/* 0 in code for GPUs without chained launches (gpu_device.chained): kernels that are only launched
   chained are empty there. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
enum { HAS_CHAINS = 0 };
#else
enum { HAS_CHAINS = 1 };
#endif

/* Lets blocks of the next kernel, if that is chained to this one, start once every block of this
   kernel has called it or ended. */
DEVICE void chain_start_next(void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Waits for the end of the previous kernel, if this one is chained to it, and makes its stores
   visible. Every thread of a chained kernel calls it, even if it reads nothing: so a kernel ends
   after all earlier kernels of its chain. */
DEVICE void chain_wait(void)
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Parameters of a launch: n threads in all. No launch if n is 0. */
struct chained_launch {
  int64_t n;
  int threads, bytes; /* threads, and bytes of dynamic shared memory, per block */
  int after;          /* 1: chained to the previous kernel in the stream */
  int carveout; /* cudaFuncAttributePreferredSharedMemoryCarveout, percent; -1: the driver chooses
                 */
  cudaStream_t stream;
  int rows = 0; /* blockIdx.y is less than this; 0: 1 */
};

/* n threads in blocks of `threads` in streams->main, chained to the kernel before if `after` is 1
   and the device can; such a kernel begins with chain_both. */
static inline struct chained_launch chain_in_main(const struct gpu *c, int64_t n, int threads,
                                                  int after)
{
  return {n, threads, 0, after && c->device->chained, -1, c->streams->main};
}

/* For kernels of which all work depends on the one before, and is short. */
DEVICE void chain_both(void)
{
  chain_wait();
  chain_start_next();
}

template <typename... Parameters, typename... Arguments>
static void launch_chained(const struct chained_launch &how, void (*kernel)(Parameters...),
                           const Arguments &...arguments)
{
  cudaLaunchAttribute overlap = {};
  cudaLaunchConfig_t config = {};
  if (how.n == 0) return;
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim =
      dim3((unsigned)launch_blocks(how.n, how.threads), how.rows ? (unsigned)how.rows : 1);
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
