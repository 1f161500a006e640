#include "cuda/runtime/clock.h"

#include "cuda/runtime/graphs.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/report.h"
#include "cuda/runtime/streams.h"

static struct gpu_clock *own(struct gpu *c)
{
  return OWN(gpu_clock, c->clock);
}

void cuda_clock_open(struct gpu *c)
{
  struct gpu_clock *k = NEW_STATE(gpu_clock, c, clock);
  cuda_depends(c, GRAPH_STEPS, &k->parity, sizeof *k - offsetof(struct gpu_clock, parity));
}

void cuda_step_set(struct gpu *c, int64_t step)
{
  if (c->clock->number == (uint64_t)step) return;
  CUDA_TO_DEVICE(c, &c->reports->device->begun[c->clock->parity ^ 1], &step, sizeof step);
  own(c)->number = (uint64_t)step;
}

void cuda_step_begin(struct gpu *c, const struct integrate_params *m)
{
  struct gpu_clock *k = own(c);
  cuda_step_set(c, m->step);
  k->number++;
  k->parity ^= 1;
  k->reduce_expired = m->reduce_expired;
  k->box_changes = m->box_changes;
}

void cuda_steps_launched(struct gpu *c, int64_t steps, double dt, int pending_spread)
{
  struct gpu_clock *k = own(c);
  k->number += (uint64_t)steps;
  k->parity ^= (int)(steps % 2);
  k->pending_kick = 0.5 * dt;
  k->pending_spread = pending_spread;
}

void cuda_step_back(struct gpu *c, int64_t step)
{
  own(c)->number = (uint64_t)step;
  own(c)->pending_kick = own(c)->pending_spread = 0;
}

void cuda_clock_link(struct gpu *c, int linked)
{
  own(c)->linked = linked;
}

double cuda_kick_defer(struct gpu *c, double h)
{
  const double before = c->clock->pending_kick;
  own(c)->pending_kick = h;
  return before;
}

int cuda_spread_defer(struct gpu *c, int pending)
{
  const int before = c->clock->pending_spread;
  own(c)->pending_spread = pending;
  return before;
}
