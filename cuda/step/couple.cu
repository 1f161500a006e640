/* Thermostat and barostat on the device: one thread computes box and scaling (couple_body.h) from
   the sums over ranks and stores them in the report, where kernels read the box, and the next first
   half its scaling. The host does not wait. */
#include "cuda/runtime/device.cuh"
#include "cuda/step/step.h"

#include <string.h>

#include "base/log.h"

#include "dynamics/couple_body.h"

/* parity: of the last step. */
static __global__ void couple_state(struct coupling_params *how, const struct sums *sums,
                                    int parity, struct cuda_report *report)
{
  if (is_expired(report)) return;
  struct coupling_state now = report->box.now;
  how->step = report->begun[parity ^ 1];
  couple_apply(how, sums, &now);
  report->box.now = now;
  if (now.overflow) report->expired_local = report->expired_agreed = (uint64_t)how->step;
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
   cuda_couple. */
struct sums *cuda_coupling_sums(struct backend *b)
{
  struct gpu *c = (struct gpu *)b;
  cuda_sums_find(c);
  if (c->config.ranks > 1) cuda_fork(c);
  return c->sums.all;
}

void cuda_couple(struct backend *b, const struct coupling_params *how)
{
  struct gpu *c = (struct gpu *)b;
  if (c->config.ranks > 1) cuda_join(c);
  cuda_coupling_set(c, how);
  cuda_step_set(c, how->step);
  LAUNCH(couple_state, 1, 1, c, c->coupling.device, c->sums.all, c->step.parity, c->reports.device);
  c->reports.outdated = 1;
}

void cuda_coupling_state(struct backend *b, struct coupling_state *now)
{
  struct gpu *c = (struct gpu *)b;
  if (c->reports.outdated) cuda_report_read(c);
  *now = c->reports.host->box.now;
}
