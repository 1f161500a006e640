#include "md/pipeline.h"

#include "md/coupling.h"
#include "md/listcheck.h"
#include "md/observer.h"
#include "md/schedule.h"
#include "md/step.h"
#include "mpi/domain/slab.h"

enum { AHEAD_MOST = 100, BATCH = 4 };

int pipeline_is_used(const struct sim *s)
{
  return listcheck_searches(s) && (s->ranks->size == 1 || s->transport.ops->allreduce_max);
}

void pipeline_reduce_expired(struct sim *s)
{
  struct backend *b = s->backend;
  if (s->ranks->size > 1) transport_allreduce_flag(&s->transport);
  if (b->early_notify) b->ops->async->notify_host(b);
}

/* May the box, as far as the host knows it, soon be too small for lists or slabs? Then the host
   looks at it after every barostat, so that a checkpoint is written before. */
static int box_is_tight(const struct sim *s)
{
  const struct system *y = s->system;
  const double part = 0.95, reach = y->ff->cutoff + y->skin;
  int tight = slab_most_ranks(listcheck_halo(s), part * y->box[s->slab.axis]) < s->ranks->size;
  for (int k = 0; k < 3; k++)
    tight |= part * y->box[k] < 2 * reach;
  return tight;
}

int pipeline_state_needed(const struct sim *s, const struct due *d)
{
  return due_state(d) || schedule_divides(d->step, AHEAD_MOST) || (d->barostat && box_is_tight(s));
}

/* How many steps can be one batch: they differ in nothing but their number, and every kernel of
   theirs was loaded while the first lists lasted. Long steps gain nothing. */
static int64_t batch_size(const struct sim *s)
{
  const int64_t step = s->system->step;
  if (!s->params->parallel_graph || s->ranks->size > 1 || s->backend->early_notify ||
      !s->backend->ops->async->batch_begin || s->builds < 2)
    return 1;
  struct due due = schedule_due(s->params, step);
  for (int k = 0; k < BATCH; k++) {
    if (due_coupling(&due)) return 1;
    due = schedule_due(s->params, step + k + 1);
    if (due_force_flags(&due) || observers_due(s, &due) || pipeline_state_needed(s, &due)) return 1;
  }
  return BATCH;
}

static void batch_submit(struct sim *s, struct integrate_params *m, int64_t steps)
{
  const struct async_ops *async = s->backend->ops->async;
  const int64_t last = m->step + steps;
  timers_switch(&s->timers, TIMER_move);
  if (async->batch_begin(s->backend, m, steps))
    for (; m->step < last; m->step++)
      step_enqueue(s, m);
  async->batch_launch(s->backend);
  system_set_step(s->system, last, s->params->run_dt);
}

void pipeline_submit(struct sim *s, struct integrate_params *m)
{
  const int64_t steps = batch_size(s);
  m->reduce_expired = s->ranks->size > 1;
  if (steps > 1)
    batch_submit(s, m, steps);
  else
    step_enqueue(s, m);
}

int pipeline_must_drain(struct sim *s)
{
  const struct due due = schedule_due(s->params, s->system->step);
  timers_switch(&s->timers, TIMER_wait);
  s->drained = pipeline_state_needed(s, &due) || observers_due(s, &due) ||
               s->backend->ops->async->poll_expired(s->backend);
  return s->drained;
}

void pipeline_drain(struct sim *s)
{
  struct backend *b = s->backend;
  const struct due due = schedule_due(s->params, s->system->step);
  struct sums sums, *out = observers_due(s, &due) ? &sums : NULL;
  timers_switch(&s->timers, TIMER_wait);
  int64_t expired = b->ops->async->drain(b, out);
  timers_switch(&s->timers, TIMER_couple);
  coupling_take(s);
  if (expired >= 0) {
    system_set_step(s->system, expired, s->params->run_dt);
    step_resume(s);
    out = NULL;
  }
  timers_switch(&s->timers, TIMER_couple);
  observers_visit(s, out);
}
