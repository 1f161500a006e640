/* Kinetic sums, in fixed point so that the result does not depend on the order of beads. */
#include "cuda/runtime/device.cuh"
#include "cuda/step/step.h"

#include <math.h>
#include <string.h>

static __global__ void motion_add(int n, const double *momentum, const double *angular_momentum,
                                  const int32_t *type, const struct cuda_type *types, double scale,
                                  const struct cuda_report *report, struct sums *out)
{
  if (is_expired(report)) return;
  int64_t word[SUM_VIRIAL], overflow = 0, magnitude = 0;
  for (int k = 0; k < SUM_VIRIAL; k++)
    word[k] = 0;
  for (int64_t i = thread_index(); i < n; i += (int64_t)gridDim.x * blockDim.x) {
    const double p[3] = {momentum[3 * i], momentum[3 * i + 1], momentum[3 * i + 2]};
    const double j[3] = {angular_momentum[3 * i], angular_momentum[3 * i + 1],
                         angular_momentum[3 * i + 2]};
    body_sums(p, j, &types[type[i]].body, scale, word, &overflow, &magnitude);
  }
#pragma unroll
  for (int k = 0; k < SUM_VIRIAL; k++)
    block_add(word[k], &out->word[k]);
  block_add(overflow, &out->overflow);
  block_add(magnitude, &out->magnitude);
}

/* Adds kinetic sums to a copy of the force sums, in which the words of the kinetic sums are 0. */
void cuda_sums_find(struct gpu *c)
{
  double scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  cuda_apply_pending_kick(c);
  CUDA(cudaMemcpyAsync(c->sums.all, c->sums.forces, sizeof *c->sums.forces,
                       cudaMemcpyDeviceToDevice, c->streams.main));
  LAUNCH(motion_add, cuda_threads_at_once(c, c->base.n, 4 * THREADS), THREADS, c, c->base.n,
         c->arrays.beads.momentum, c->arrays.beads.angular_momentum, c->arrays.beads.type,
         c->coefficients.type, scale, c->reports.device, c->sums.all);
  cuda_baths_sums(c);
  cuda_clusters_sums(c);
}

void cuda_sums(struct backend *b, struct sums *out)
{
  struct gpu *c = (struct gpu *)b;
  cuda_sums_find(c);
  CUDA(cudaMemcpyAsync(c->sums.host, c->sums.all, sizeof *out, cudaMemcpyDeviceToHost,
                       c->streams.main));
  cuda_report_read(c);
  *out = *c->sums.host;
}
