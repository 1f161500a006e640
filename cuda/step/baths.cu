/* Heat baths, where there are several: the bath of each bead, and the kinetic sums of each bath in
   fixed point. */
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/graphs.h"
#include "cuda/runtime/memory.h"
#include "cuda/step/step.h"

void cuda_baths_open(struct gpu *c)
{
  struct gpu_baths *baths = NEW_STATE(gpu_baths, c, baths);
  if (c->config.n_baths < 2) return;
  baths->groups.n = c->config.n_baths;
  for (int b = 0; b < baths->groups.n; b++)
    baths->groups.group[b] = cuda_bead_set(c, &c->config.bath[b].group, "heat baths");
  cuda_per_bead(c, &baths->of_bead, 1, 1, 0, "heat bath");
  cuda_depends(c, GRAPH_STEPS, &baths->of_bead, sizeof baths->of_bead);
}

/* One thread per owned bead. */
static __global__ void bath_choose(const __grid_constant__ struct bath_groups baths, int n,
                                   const int32_t *type, const int64_t *id, unsigned char *bath)
{
  const int64_t i = thread_index();
  if (i >= n) return;
  for (int b = 0; b < baths.n; b++)
    if (bead_set_has(&baths.group[b], type[i], id[i])) bath[i] = (unsigned char)b;
}

void cuda_baths_find(struct gpu *c)
{
  if (c->baths->of_bead)
    LAUNCH(bath_choose, c->base.n, THREADS, c, c->baths->groups, c->base.n, c->arrays->beads.type,
           c->arrays->id, c->baths->of_bead);
}

static __global__ void bath_add(int n, int n_baths, const double *momentum,
                                const double *angular_momentum, const int32_t *type,
                                const struct cuda_type *types, const unsigned char *bath,
                                double scale, const struct cuda_report *report, struct sums *out)
{
  if (is_expired(report)) return;
  const int64_t i = thread_index();
  int64_t word[BATH_WORDS] = {0, 0, 0, 0}, overflow = 0, magnitude = 0;
  if (i < n)
    body_bath_sums(momentum + 3 * i, angular_momentum + 3 * i, &types[type[i]].body, scale, word,
                   &overflow, &magnitude);
  for (int b = 0; b < n_baths; b++)
    for (int k = 0; k < BATH_WORDS; k++)
      block_add(i < n && bath[i] == b ? word[k] : 0, &out->bath[b][k]);
  block_add(overflow, &out->overflow);
  block_add(magnitude, &out->magnitude);
}

void cuda_baths_sums(struct gpu *c)
{
  if (c->baths->of_bead)
    LAUNCH(bath_add, c->base.n, THREADS, c, c->base.n, c->baths->groups.n,
           c->arrays->beads.momentum, c->arrays->beads.angular_momentum, c->arrays->beads.type,
           c->types->type, c->baths->of_bead, cuda_sum_scale(c), c->reports->device,
           c->sums->motion);
}
