/* HD: a function for the host (gcc) and for CUDA kernels (nvcc), always inlined. */
#ifndef HD_H
#define HD_H

#ifdef __CUDACC__
#define HD static __host__ __device__ __forceinline__
#define RESTRICT __restrict__
#else
#define HD static inline __attribute__((always_inline, unused))
#define RESTRICT restrict
#endif

#endif
