/* Thermostat and barostat on the device: a thread computes box and scaling (couple_body.h) from
   the sums over ranks and stores them in the report, where kernels read the box, and the next first
   half its scaling. The host does not wait. */
#include "cuda/runtime/device.cuh"
#include "cuda/step/step.h"
#include "cuda/step/sums.cuh"

#include <string.h>

#include "base/memory.h"

#include "dynamics/couple_body.h"

/* A block, whose first thread computes. sums: those that the ranks have reduced; with JOIN 1, on
   one rank, those of forces and motion are added here. parity: of the last step. */
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
  struct coupling_params *has = c->coupling.host;
  const int64_t bytes = (int64_t)sizeof *how;
  int64_t room = c->coupling.device ? bytes : 0;
  if (!has) has = c->coupling.host = (struct coupling_params *)alloc_array(1, sizeof *has);
  struct coupling_params wanted;
  memcpy(&wanted, how, sizeof wanted); /* with its padding: all bytes are compared */
  wanted.step = 0;
  if (room && !memcmp(has, &wanted, sizeof wanted)) return;
  memcpy(has, &wanted, sizeof wanted);
  cuda_grow(c, (void **)&c->coupling.device, &room, bytes, 0, "reports");
  CUDA(cudaMemcpyAsync(c->coupling.device, has, sizeof *has, cudaMemcpyHostToDevice,
                       c->streams.main));
}

/* With several ranks the transport reduces them in the side stream, hence fork here and join in
   cuda_couple. With one, couple_state joins them. */
struct sums *cuda_coupling_sums(struct backend *b)
{
  struct gpu *c = (struct gpu *)b;
  cuda_sums_find(c);
  if (c->config.ranks > 1) {
    cuda_sums_join(c);
    cuda_fork(c);
  }
  return c->sums.all;
}

void cuda_couple(struct backend *b, const struct coupling_params *how)
{
  struct gpu *c = (struct gpu *)b;
  if (!couple_measures(how) && c->clusters.present) {
    /* What is left to do for the present state needs the box that it has. */
    cuda_apply_pending_spread(c);
    cuda_apply_pending_kick(c);
  }
  cuda_coupling_set(c, how);
  cuda_step_set(c, how->step);
  if (c->config.ranks > 1) {
    if (couple_measures(how)) cuda_join(c);
    LAUNCH(couple_state<0>, SUMS_THREADS, SUMS_THREADS, c, c->coupling.device, c->sums,
           c->step.parity, c->reports.device);
  } else {
    LAUNCH(couple_state<1>, SUMS_THREADS, SUMS_THREADS, c, c->coupling.device, c->sums,
           c->step.parity, c->reports.device);
  }
  c->reports.outdated = 1;
}

void cuda_coupling_state(struct backend *b, struct coupling_state *now)
{
  struct gpu *c = (struct gpu *)b;
  if (c->reports.outdated) cuda_report_read(c);
  *now = c->reports.host->box.now;
}
