/* Thermostat and barostat on the device, by one thread: what couple_body.h makes of the sums goes
   to the report, where every kernel finds the box, and the next move its factors. No host waits for
   it. */
#include "cuda/runtime/device.cuh"

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

/* Transports add them in the order of the side stream. */
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
  if (c->reports.outdated) cuda_look(c);
  *now = c->reports.host->box.now;
}
