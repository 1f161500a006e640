/* Thermostat and barostat on the device: one thread computes box and scaling
   (dynamics/couple_body.h) from the sums over ranks, and stores them in the report, where kernels
   read the box, and the next first half the scaling. The host does not wait. */
#include <string.h>

#include "cuda/lists/clusters.h"
#include "cuda/runtime/clock.h"
#include "cuda/runtime/memory.h"
#include "cuda/step/sums.cuh"
#include "dynamics/couple_body.h"

/* Parameters of couplings, on the device and as last uploaded, with step 0: kernels know the step.
   Written by step/couple.cu. */
struct gpu_coupling {
  struct coupling_params *device; /* NULL: none yet */
  struct coupling_params host;
};

/* One block; thread 0 computes. JOIN 0: sums.all has the sums over ranks. JOIN 1 (one rank): the
   kernel adds those of forces and motion. parity: of the last step. */
template <int JOIN>
static __global__
__launch_bounds__(SUMS_THREADS) void couple_state(const struct coupling_params *params,
                                                  const struct gpu_sums sums, int parity,
                                                  struct cuda_report *report)
{
  __shared__ struct coupling_params how;
  __shared__ struct coupling_state now;
  __shared__ struct sums all;
  if (is_expired(report)) return;
  block_copy(&how, params);
  block_copy(&now, &report->box.now);
  const int measures = couple_measures(params);
  if (measures && JOIN)
    sums_add_block(sums.forces, sums.motion, &all);
  else if (measures)
    block_copy(&all, sums.all);
  __syncthreads();
  if (threadIdx.x > 0) return;
  how.step = report->begun[parity ^ 1];
  couple_apply(&how, &all, &now);
  report->box.now = now;
  if (now.overflow) report->expired_local = report->expired_agreed = (uint64_t)how.step;
}

void cuda_coupling_set(struct gpu *c, const struct coupling_params *how)
{
  struct gpu_coupling *has = c->coupling ? c->coupling : NEW_STATE(gpu_coupling, c, coupling);
  struct coupling_params wanted;
  memcpy(&wanted, how, sizeof wanted); /* with its padding: all bytes are compared */
  wanted.step = 0;
  if (has->device && !memcmp(&has->host, &wanted, sizeof wanted)) return;
  memcpy(&has->host, &wanted, sizeof wanted);
  cuda_grow(c, &has->device, sizeof wanted, 0, "reports");
  CUDA_TO_DEVICE(c, has->device, &has->host, sizeof wanted);
}

/* With several ranks the transport reduces the sums in streams->side: hence the fork here, and the
   join in cuda_couple. On one rank couple_state adds them. */
struct sums *cuda_coupling_sums(struct backend *b)
{
  struct gpu *c = gpu_of(b);
  cuda_sums_find(c);
  if (c->config.ranks > 1) {
    cuda_sums_join(c);
    cuda_fork(c);
  }
  return c->sums->all;
}

void cuda_couple(struct backend *b, const struct coupling_params *how)
{
  struct gpu *c = gpu_of(b);
  if (!couple_measures(how) && c->clusters->present) {
    /* Deferred work of the present state needs its box, which the coupling changes. */
    cuda_apply_pending_spread(c);
    cuda_apply_pending_kick(c);
  }
  cuda_coupling_set(c, how);
  cuda_step_set(c, how->step);
  if (c->config.ranks > 1 && couple_measures(how)) cuda_join(c);
  const auto couple = c->config.ranks > 1 ? couple_state<0> : couple_state<1>;
  LAUNCH(couple, SUMS_THREADS, SUMS_THREADS, c, c->coupling->device, *c->sums, c->clock->parity,
         c->reports->device);
  cuda_report_outdate(c);
}
