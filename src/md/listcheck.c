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

double listcheck_halo(const struct sim *s)
{
  const struct system *y = s->system;
  return y->ff->cutoff + y->skin + (listcheck_searches(s) ? 0.5 * y->skin : 0);
}

/* Has a bead of this rank come further than the lists allow? The square of its displacement against
   the one up to which they hold, nm2. */
static int is_beyond(const struct sim *s, double displacement2)
{
  const struct system *y = s->system;
  double hold = couple_displacement2(y->ff->cutoff, y->ff->cutoff + y->skin, y->box, y->build_box);
  return !(displacement2 <= hold);
}

/* 1: pairs were found, on any rank. Where the host does not wait, 0: the devices reduce the answer,
   and later kernels are no-ops if there are any. */
static int search(struct sim *s)
{
  struct backend *b = s->backend;
  const struct async_ops *async = b->ops->async;
  async->search_unlisted(b, listcheck_halo(s));
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
  double moved2 = ops->displacement2(s->backend);
  if (alone) return is_beyond(s, moved2);
  ranks_max_start(s->ranks, moved2);
  return 0;
}

int listcheck_end(struct sim *s)
{
  if (s->ranks->size == 1 || s->params->neighbor_rebuild == REBUILD_INTERVAL) return 0;
  if (listcheck_searches(s)) return search(s);
  return is_beyond(s, ranks_max_finish(s->ranks));
}
