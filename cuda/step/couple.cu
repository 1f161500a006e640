/* Thermostat and barostat on the device: one thread computes box and scaling (couple_body.h) from
   the sums over ranks and stores them in the report, where kernels read the box, and the next first
   half its scaling. The host does not wait. */
#include "cuda/runtime/device.cuh"
#include "cuda/step/step.h"

#include "dynamics/couple_body.h"

static __global__ void couple_state(const __grid_constant__ struct coupling_params how,
                                    const struct sums *sums, struct cuda_report *report)
{
  if (is_expired(report)) return;
  struct coupling_state now = report->box.now;
  couple_apply(&how, sums, &now);
  report->box.now = now;
  if (now.overflow) report->expired_local = report->expired_agreed = (uint64_t)how.step;
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
  LAUNCH(couple_state, 1, 1, c, *how, c->sums.all, c->reports.device);
  c->reports.outdated = 1;
}

void cuda_coupling_state(struct backend *b, struct coupling_state *now)
{
  struct gpu *c = (struct gpu *)b;
  if (c->reports.outdated) cuda_report_read(c);
  *now = c->reports.host->box.now;
}
