#include "cuda/runtime/cuda_check.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"

void cuda_check(cudaError_t error, const char *call, const char *file, int line)
{
  struct cudaDeviceProp prop;
  char host[128] = "?";
  int device = -1;
  if (error == cudaSuccess) return;
  const char *name = strrchr(file, '/');
  memset(&prop, 0, sizeof prop);
  if (cudaGetDevice(&device) == cudaSuccess) (void)cudaGetDeviceProperties(&prop, device);
  (void)gethostname(host, sizeof host - 1);
  enum status status = error == cudaErrorMemoryAllocation ? STATUS_INPUT : STATUS_NUMERIC;
  die(status, "GPU %d (%s) of %s: %s (%s:%d): %s; %s", device, prop.name, host, call,
      name ? name + 1 : file, line, cudaGetErrorString(error),
      error == cudaErrorMemoryAllocation
          ? "memory is exhausted: use more GPUs, or stop other programs on this GPU"
          : "the GPU, its driver or the program is at fault: look at nvidia-smi and the system "
            "log, "
            "and continue from the last checkpoint");
}

const char *cuda_why_not(int *devices)
{
  int n = 0;
  const cudaError_t error = cudaGetDeviceCount(&n);
  if (devices) *devices = n;
  if (error == cudaSuccess && n > 0) return NULL;
  (void)cudaGetLastError();
  return error == cudaSuccess ? "no GPU is visible (CUDA_VISIBLE_DEVICES?)"
                              : cudaGetErrorString(error);
}
