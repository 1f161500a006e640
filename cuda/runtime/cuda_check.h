/* Every CUDA call goes through CUDA(): an error names the call, the place, the device and the node,
   and ends the program. */
#ifndef CUDA_CHECK_H
#define CUDA_CHECK_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA(call) cuda_check((call), #call, __FILE__, __LINE__)
/* After a launch. */
#define CUDA_LAUNCHED(kernel)                                                                      \
  cuda_check(cudaGetLastError(), "launch of " kernel, __FILE__, __LINE__)

void cuda_check(cudaError_t error, const char *call, const char *file, int line);

#ifdef __cplusplus
}
#endif

#endif
