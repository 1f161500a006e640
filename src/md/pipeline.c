#include "md/pipeline.h"

#include "md/box.h"
#include "md/coupling.h"
#include "md/observers.h"
#include "md/sampling.h"
#include "md/schedule.h"
#include "md/step.h"

/* DEFER_STEPS: after a sample the device first gets a step and then a batch to compute while
   the host works on the sample. */
enum { BATCH_STEPS = 4, DEFER_STEPS = 2 };

/* How many steps to submit as one batch: BATCH_STEPS if they differ in their number only, that is
   if none is followed by a coupling, and no sums or states are needed; else 1. Batches begin after
   the second list build, when every kernel has been loaded, as graphs cannot be captured before.
   Not with early_notify: such long steps gain nothing. */
static int64_t batch_size(const struct sim *s)
{
  const int64_t step = s->system->step;
  if (!s->params->parallel_graph || s->ranks->size > 1 || s->backend->early_notify ||
      !s->backend->ops->async->batch_begin || s->builds < 2)
    return 1;
  struct due due = schedule_due(s->params, step);
  for (int k = 0; k < BATCH_STEPS; k++) {
    if (due_coupling(&due)) return 1;
    due = schedule_due(s->params, step + k + 1);
    if (due_force_flags(&due) || observers_due(s, &due) || due_state(&due, box_is_tight(s)))
      return 1;
  }
  return BATCH_STEPS;
}

/* Submits a batch. The first time, the backend captures the calls of its steps as a graph. */
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

static void take_deferred(struct sim *s, int64_t steps)
{
  if (s->sampling) timers_switch(&s->timers, TIMER_observe);
  sampling_take_deferred(s, steps);
}

void pipeline_submit(struct sim *s, struct integrate_params *m)
{
  const int64_t steps = batch_size(s);
  m->reduce_expired = s->ranks->size > 1;
  if (steps > 1)
    batch_submit(s, m, steps);
  else
    step_enqueue(s, m);
  take_deferred(s, DEFER_STEPS);
}

int pipeline_must_drain(struct sim *s)
{
  const struct due due = schedule_due(s->params, s->system->step);
  timers_switch(&s->timers, TIMER_wait);
  s->drained = due_state(&due, box_is_tight(s)) || observers_due(s, &due) ||
               s->backend->ops->async->poll_expired(s->backend);
  return s->drained;
}

void pipeline_drain(struct sim *s)
{
  struct backend *b = s->backend;
  const struct due due = schedule_due(s->params, s->system->step);
  struct sums sums, *out = NULL;
  if (observers_need_sums(s, &due)) out = &sums;
  take_deferred(s, 0); /* before the next sample; the host would wait now */
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
