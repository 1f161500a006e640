/* HD: a function for the host (gcc) and for CUDA kernels (nvcc), always inlined; HD_LONG: one that
   is called on the host. UNROLL: the loop that follows is unrolled in kernels, so that arrays which
   it indexes stay in registers. */
#ifndef HD_H
#define HD_H

#ifdef __CUDACC__
#define HD static __host__ __device__ __forceinline__
#define HD_LONG HD
#define RESTRICT __restrict__
#else
#define HD static inline __attribute__((always_inline, unused))
#define HD_LONG static __attribute__((noinline, unused))
#define RESTRICT restrict
#endif

#ifdef __CUDA_ARCH__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

#endif
