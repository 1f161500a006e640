/* Kinetic sums, in fixed point so that their order cannot matter, and the largest force. */
#include "device_cuda.cuh"

#include <math.h>
#include <string.h>

static __global__ void motion_add(int n, const double *momentum, const double *angular_momentum,
                                  const int32_t *type, const struct cuda_type *types, double scale,
                                  const struct cuda_report *report, struct sums *out)
{
  if (is_stopped(report)) return;
  int64_t i = thread_index(), word[SUM_VIRIAL], overflow = 0, magnitude = 0;
  for (int k = 0; k < SUM_VIRIAL; k++)
    word[k] = 0;
  if (i < n) {
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

/* Passes over pairs leave the words of the kinetic sums at 0. */
void cuda_sums_find(struct gpu *c)
{
  double scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  cuda_kick_now(c);
  CUDA(cudaMemcpyAsync(c->all_sums, c->sums, sizeof *c->sums, cudaMemcpyDeviceToDevice, c->stream));
  LAUNCH(motion_add, c->base.n, THREADS, c, c->base.n, c->beads.momentum, c->beads.angular_momentum,
         c->beads.type, c->type, scale, c->report, c->all_sums);
}

void cuda_sums(struct backend *b, struct sums *out)
{
  struct gpu *c = (struct gpu *)b;
  cuda_sums_find(c);
  CUDA(cudaMemcpyAsync(c->seen_sums, c->all_sums, sizeof *out, cudaMemcpyDeviceToHost, c->stream));
  cuda_look(c);
  *out = *c->seen_sums;
}

static __device__ unsigned long long force_bits(const double *force, int64_t i)
{
  const double *f = force + 3 * i;
  return ordered_bits(fabs(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
}

static __global__ void force_largest(int n, const double *force, struct cuda_report *report)
{
  int64_t i = thread_index();
  warp_max(i < n ? force_bits(force, i) : 0, &report->largest_force);
}

static __global__ void force_whose(int n, const double *force, const int64_t *id,
                                   struct cuda_report *report)
{
  int64_t i = thread_index();
  if (i < n && force_bits(force, i) == report->largest_force)
    atomicMin(&report->largest_id, (unsigned long long)id[i]);
}

double cuda_largest_force(struct backend *b, int64_t *id)
{
  struct gpu *c = (struct gpu *)b;
  double f2;
  *id = 0;
  if (b->n == 0) return 0;
  CUDA(cudaMemsetAsync(&c->report->largest_force, 0, sizeof c->report->largest_force, c->stream));
  CUDA(cudaMemsetAsync(&c->report->largest_id, -1, sizeof c->report->largest_id, c->stream));
  LAUNCH(force_largest, b->n, THREADS, c, b->n, c->force, c->report);
  LAUNCH(force_whose, b->n, THREADS, c, b->n, c->force, c->id, c->report);
  cuda_look(c);
  memcpy(&f2, &c->seen->largest_force, sizeof f2);
  *id = (int64_t)c->seen->largest_id;
  return sqrt(f2);
}
