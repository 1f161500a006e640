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

/* What a batch has besides plain steps. */
enum batch_extra { EXTRA_COUPLING = 1, EXTRA_VIRIAL = 2, EXTRA_ENERGY = 4 };

static int extras_of(const struct step_batch *batch)
{
  const int sums = batch->flags == FORCE_ENERGY   ? EXTRA_ENERGY
                   : batch->flags == FORCE_VIRIAL ? EXTRA_VIRIAL
                                                  : 0;
  return (batch->coupling ? EXTRA_COUPLING : 0) | sums;
}

/* Finds what to submit: a coupling if one is due now (its parameters go to *coupling), then up to
   `most` steps. The batch ends where another coupling is due, or sums or the state are needed. */
static struct step_batch batch_next(const struct sim *s, int64_t most,
                                    struct coupling_params *coupling)
{
  struct step_batch batch = {0, NULL, 0};
  struct due due;
  if (coupling_params_due(s, coupling)) batch.coupling = coupling;
  do {
    batch.steps++;
    due = schedule_due(s->params, s->system->clock.step + batch.steps);
    batch.flags = due_force_flags(&due) | observers_force_flags(s, &due);
  } while (batch.steps < most && !due_coupling(&due) && !batch.flags && !observers_due(s, &due) &&
           !due_state(&due, box_is_tight(s)));
  return batch;
}

/* 1 if steps are submitted in batches. Only after the second list build: a graph can be captured
   only when all kernels of a plain step have been loaded. Not with early_notify: such long steps
   gain nothing. */
static int has_batches(const struct sim *s)
{
  return s->params->parallel_graph && s->ranks->size == 1 && !s->backend->early_notify &&
         s->backend->ops->async->batch_begin && s->builds >= 2;
}

/* The calls of a batch. m: the parameters of its first step. */
static void batch_enqueue(struct sim *s, struct integrate_params *m, const struct step_batch *batch)
{
  const int64_t last = m->step + batch->steps;
  m->coupled = batch->coupling != NULL;
  if (batch->coupling) coupling_enqueue(s, batch->coupling);
  for (; m->step < last; m->step++, m->coupled = 0)
    step_enqueue(s, m);
}

/* Submits a batch at once. Where none of its kind has been submitted, the backend captures its
   calls as a graph. */
static void batch_submit(struct sim *s, struct integrate_params *m, const struct step_batch *batch)
{
  const struct async_ops *async = s->backend->ops->async;
  const int64_t last = m->step + batch->steps;
  m->coupled = batch->coupling != NULL;
  timers_switch(&s->timers, TIMER_move);
  if (async->batch_begin(s->backend, m, batch)) batch_enqueue(s, m, batch);
  async->batch_launch(s->backend);
  clock_advance(&s->system->clock, last, s->params->run_dt);
}

static void take_deferred(struct sim *s, int64_t steps)
{
  if (s->sampling) timers_switch(&s->timers, TIMER_observe);
  sampling_take_deferred(s, steps);
}

void pipeline_submit(struct sim *s, struct integrate_params *m)
{
  struct coupling_params coupling;
  const int batches = has_batches(s);
  struct step_batch batch = batch_next(s, batches ? BATCH_STEPS : 1, &coupling);
  m->reduce_expired = s->ranks->size > 1;
  if (batches && !(extras_of(&batch) & ~s->extras_run)) {
    batch_submit(s, m, &batch);
  } else {
    if (batch.steps > 1) batch = batch_next(s, 1, &coupling);
    s->extras_run |= extras_of(&batch);
    batch_enqueue(s, m, &batch);
  }
  take_deferred(s, DEFER_STEPS);
}

int pipeline_must_drain(struct sim *s)
{
  const struct due due = schedule_due(s->params, s->system->clock.step);
  timers_switch(&s->timers, TIMER_wait);
  s->in_flight = !(due_state(&due, box_is_tight(s)) || observers_due(s, &due) ||
                   s->backend->ops->async->poll_expired(s->backend));
  return !s->in_flight;
}

void pipeline_drain(struct sim *s)
{
  struct backend *b = s->backend;
  const struct due due = schedule_due(s->params, s->system->clock.step);
  struct sums sums, *out = NULL;
  if (observers_need_sums(s, &due)) out = &sums;
  take_deferred(s, 0); /* before the next sample; the host would wait now */
  timers_switch(&s->timers, TIMER_wait);
  int64_t expired = b->ops->async->drain(b, out);
  timers_switch(&s->timers, TIMER_couple);
  coupling_take(s);
  if (expired >= 0) {
    clock_advance(&s->system->clock, expired, s->params->run_dt);
    step_resume(s);
    out = NULL;
  }
  timers_switch(&s->timers, TIMER_couple);
  observers_visit(s, out);
}
