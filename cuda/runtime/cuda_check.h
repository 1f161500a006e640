/* Every CUDA call goes through CUDA(): an error ends the program, with a message that names the
   call, the source line, the GPU and the node. */
#ifndef CUDA_CHECK_H
#define CUDA_CHECK_H

#include <cuda_runtime_api.h>

/* Around declarations of functions that C files and kernels share. */
#ifdef __cplusplus
#define BEGIN_C extern "C" {
#define END_C }
#else
#define BEGIN_C
#define END_C
#endif
/* A device function. */
#define DEVICE static __device__ __forceinline__

BEGIN_C

#define CUDA(call) cuda_check((call), #call, __FILE__, __LINE__)
/* Checks the launch of a kernel; kernel: its name. */
#define CUDA_LAUNCHED(kernel)                                                                      \
  cuda_check(cudaGetLastError(), "launch of " kernel, __FILE__, __LINE__)

/* Why no GPU can be used here; NULL: one can. *devices: their number; may be NULL. */
const char *cuda_why_not(int *devices);

void cuda_check(cudaError_t error, const char *call, const char *file, int line);

END_C

#endif
