/* Copies the state to the host if a bead ends the run: see backend/offender.h. */
#include <string.h>

#include "base/memory.h"
#include "cuda/runtime/gpu.h"

static void *fetched(struct gpu *c, const void *from, int64_t n, size_t size)
{
  void *to = alloc_array(n, size);
  if (n > 0)
    CUDA(cudaMemcpyAsync(to, from, (size_t)n * size, cudaMemcpyDeviceToHost, c->streams.main));
  return to;
}

struct offender_state cuda_offender(struct gpu *c, int64_t step)
{
  struct offender_state s = {.prefix = c->config.prefix, .ff = c->config.ff, .step = step};
  memcpy(s.box, c->reports.host->box.now.box, sizeof s.box);
  s.n = c->base.n;
  s.n_all = c->base.n + c->base.n_halo;
  s.id = fetched(c, c->arrays.id, s.n_all, sizeof *s.id);
  s.record = fetched(c, c->arrays.record, s.n_all, sizeof *s.record);
  s.momentum = fetched(c, c->arrays.beads.momentum, 3LL * s.n, sizeof *s.momentum);
  CUDA(cudaStreamSynchronize(c->streams.main));
  return s;
}
