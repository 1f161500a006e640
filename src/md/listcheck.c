#include "md/listcheck.h"

#include "dynamics/couple_body.h"
#include "md/pipeline.h"

int listcheck_searches(const struct sim *s)
{
  return s->params->neighbor_rebuild == REBUILD_EXACT && s->backend->ops->async;
}

enum list_expiry listcheck_policy(const struct sim *s)
{
  if (s->params->neighbor_rebuild == REBUILD_INTERVAL) return EXPIRY_INTERVAL;
  return listcheck_searches(s) ? EXPIRY_SEARCH : EXPIRY_DISPLACEMENT;
}

double listcheck_halo_width(const struct sim *s)
{
  const struct system *y = s->system;
  return s->cutoff + y->skin + (listcheck_searches(s) ? 0.5 * y->skin : 0);
}

/* 1 if a displacement (squared, nm2) is larger than the one up to which the lists are known to hold
   every pair within the cutoff. Also 1 for NaN. */
static int exceeds_limit(const struct sim *s, double displacement2)
{
  const struct system *y = s->system;
  double limit2 =
      couple_displacement2(s->cutoff, s->list_margin, s->cutoff + y->skin, y->box, y->build_box);
  return !(displacement2 <= limit2);
}

/* Searches for unlisted pairs inside the cutoff. If the pipeline is used: does not wait and returns
   0; the devices reduce the result, and if a pair was found, later kernels are no-ops. Otherwise
   waits and returns 1 if any rank found one. */
static int search(struct sim *s)
{
  struct backend *b = s->backend;
  const struct async_ops *async = b->ops->async;
  async->search_unlisted(b, listcheck_halo_width(s));
  if (pipeline_is_used(s)) {
    pipeline_reduce_expired(s);
    return 0;
  }
  int64_t step = async->drain(b, NULL);
  ranks_max_int64(s->ranks, &step, 1);
  return step >= 0;
}

int listcheck_begin(struct sim *s)
{
  const struct backend_ops *ops = s->backend->ops;
  const int alone = s->ranks->size == 1;
  if (s->params->neighbor_rebuild == REBUILD_INTERVAL)
    return s->system->step - s->system->build_step >= s->params->neighbor_every;
  timers_switch(&s->timers, TIMER_halo);
  if (listcheck_searches(s)) return alone && search(s);
  double displacement2 = ops->displacement2(s->backend);
  if (alone) return exceeds_limit(s, displacement2);
  ranks_max_start(s->ranks, displacement2);
  return 0;
}

int listcheck_end(struct sim *s)
{
  if (s->ranks->size == 1 || s->params->neighbor_rebuild == REBUILD_INTERVAL) return 0;
  if (listcheck_searches(s)) return search(s);
  return exceeds_limit(s, ranks_max_finish(s->ranks));
}
