/* Kinetic sums, in fixed point so that the result does not depend on the order of beads. */
#include "cuda/step/sums.cuh"

#include "cuda/runtime/memory.h"
#include "cuda/step/motion.cuh"

void cuda_sums_open(struct gpu *c)
{
  struct gpu_sums *s = NEW_STATE(gpu_sums, c, sums);
  cuda_grow(c, &s->forces, 4 * sizeof *s->forces, 0, "reports");
  CUDA(cudaMemset(s->forces, 0, 4 * sizeof *s->forces));
  s->motion = s->forces + 1;
  s->all = s->forces + 2;
  s->spare = s->forces + 3;
  cuda_pinned(c, &s->host, sizeof *s->host);
}

/* Does the deferred kick of beads outside of clusters, if there is one, then adds the kinetic sums.
   Momenta are loaded after the kick, which does not set b.j of beads that do not rotate. */
static __global__ void motion_add(const __grid_constant__ struct motion m, double scale,
                                  struct sums *out)
{
  __shared__ struct block_sums<SUM_VIRIAL + 2, THREADS / 32> all;
  if (is_expired(m.report)) return;
  int64_t word[SUM_VIRIAL], overflow = 0, magnitude = 0;
  for (int k = 0; k < SUM_VIRIAL; k++)
    word[k] = 0;
  for (int64_t i = thread_index(); i < m.n; i += (int64_t)gridDim.x * blockDim.x) {
    struct body b;
    if (m.pending_kick > 0 && !in_cluster(m, i)) kick_bead(m, i, m.pending_kick, &b);
    three_load(m.beads.momentum, i, b.p);
    three_load(m.beads.angular_momentum, i, b.j);
    body_sums(b.p, b.j, &m.types[m.beads.type[i]].body, scale, word, &overflow, &magnitude);
  }
#pragma unroll
  for (int k = 0; k < SUM_VIRIAL; k++)
    block_sum(&all, k, word[k], &out->word[k]);
  block_sum(&all, SUM_VIRIAL, overflow, &out->overflow);
  block_sum(&all, SUM_VIRIAL + 1, magnitude, &out->magnitude);
  block_sums_add(&all, SUM_VIRIAL + 2);
}

void cuda_sums_find(struct gpu *c)
{
  const double scale = (double)(INT64_C(1) << sum_bits(c->config.n_total));
  struct motion m = motion_of(c);
  m.pending_kick = cuda_kick_defer(c, 0);
  if (m.pending_kick > 0) cuda_clusters_kick(c, m.pending_kick);
  LAUNCH(motion_add, cuda_threads_at_once(c, c->base.n, 4 * THREADS), THREADS, c, m, scale,
         c->sums->motion);
  cuda_baths_sums(c);
  cuda_clusters_sums(c);
}

static __global__ void sums_join(const struct sums *forces, struct sums *motion, struct sums *all)
{
  sums_add_block(forces, motion, all);
}

void cuda_sums_join(struct gpu *c)
{
  LAUNCH(sums_join, SUMS_THREADS, SUMS_THREADS, c, c->sums->forces, c->sums->motion, c->sums->all);
}

void cuda_sums(struct backend *b, struct sums *out)
{
  struct gpu *c = gpu_of(b);
  cuda_sums_find(c);
  cuda_sums_join(c);
  CUDA_TO_HOST(c, c->sums->host, c->sums->all, sizeof *out);
  cuda_report_read(c);
  *out = *c->sums->host;
}
