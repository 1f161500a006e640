/* What the kernels that add to bins share: launches, shared memory, and where the bins are. */
#include "cuda/step/step.h"

#include "base/log.h"

/* Blocks on a multiprocessor. */
enum { BLOCKS_EACH = 8 };
int64_t cuda_profile_threads(const struct gpu *c, int threads)
{
  int device, processors;
  CUDA(cudaGetDevice(&device));
  CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  const int64_t most = (int64_t)BLOCKS_EACH * processors * threads;
  return c->base.n < most ? c->base.n : most;
}

int cuda_shared_memory(const void *kernel, int64_t bytes)
{
  int device, most;
  cudaFuncAttributes of;
  CUDA(cudaGetDevice(&device));
  CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  CUDA(cudaFuncGetAttributes(&of, kernel));
  if (bytes + (int64_t)of.sharedSizeBytes > most) return 0;
  CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
  return 1;
}

const uint32_t *cuda_pending_centre(const struct gpu *c, const struct profile *p)
{
  if (!p->centre_word) return NULL;
  if (p->centre_word != c->profile.centre_word)
    die(STATUS_INPUT, "the centre of a profile is not that of the last words of TALLY_CENTRE");
  return c->profile.centre;
}

int64_t *cuda_bins(const struct gpu *c)
{
  return c->profile.word + c->profile.used;
}
