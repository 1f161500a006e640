#include "md/sampling.h"

#include <stdlib.h>

#include "base/memory.h"
#include "md/sampling_frame.h"

struct sampling {
  int64_t after, next; /* no sample is due at a step above `after` and below `next` */
  struct sampling_frame frame;
  int64_t *word; /* sums over ranks at the step of the frame; NULL: none yet */
  int deferred;  /* 1: their samples have not been taken yet */
};

struct sampling *sampling_create(void)
{
  struct sampling *m = alloc_array(1, sizeof *m);
  m->after = m->next = -1;
  return m;
}

void sampling_destroy(struct sampling *m)
{
  if (!m) return;
  sampling_frame_free(&m->frame);
  free(m->word);
  free(m);
}

/* The first step after `step` at which an observable is due. */
static int64_t next_due(const struct measured *m, int64_t step)
{
  int64_t next = INT64_MAX;
  for (int k = 0; k < m->n; k++) {
    const struct observable *o = &m->observable[k];
    const int64_t from = step + 1 > o->from ? step + 1 : o->from;
    const int64_t rest = from % o->every, wait = rest ? o->every - rest : 0;
    if (wait < INT64_MAX - from && from + wait < next) next = from + wait;
  }
  return next;
}

/* Asked for several times in each step, so the steps without samples are remembered. */
int sampling_due(const struct sim *s, int64_t step)
{
  struct sampling *m = s->sampling;
  if (!s->measured || (step > m->after && step < m->next)) return 0;
  if (step == m->next) return 1;
  m->after = step;
  m->next = next_due(s->measured, step);
  for (int k = 0; k < s->measured->n; k++)
    if (observable_due(&s->measured->observable[k], step)) return 1;
  return 0;
}

static unsigned needs_of(const struct sim *s, int64_t step)
{
  unsigned needs = 0;
  if (!sampling_due(s, step)) return 0;
  for (int k = 0; k < s->measured->n; k++) {
    const struct observable *o = &s->measured->observable[k];
    if (observable_due(o, step)) needs |= o->needs;
  }
  return needs;
}

int sampling_needs(const struct sim *s, int64_t step, unsigned need)
{
  return (needs_of(s, step) & need) != 0;
}

static int words_of(const struct measured *m, int64_t step)
{
  int64_t words = 0;
  for (int k = 0; k < m->n; k++)
    if (observable_due(&m->observable[k], step)) words += m->observable[k].words;
  return (int)words;
}

static void accumulate(struct sim *s, int64_t *bin)
{
  const struct measured *m = s->measured;
  const int64_t step = s->system->clock.step;
  struct sampling_frame *f = &s->sampling->frame;
  sampling_frame_take(s, &m->about, needs_of(s, step), f);
  for (int k = 0; k < m->n; k++) {
    struct observable *o = &m->observable[k];
    if (!observable_due(o, step)) continue;
    o->kind->collect(o, &f->frame, bin);
    bin += o->words;
  }
  backend_bins_wait(s->backend);
}

/* Keeps the sums. If the host runs ahead, rank 0 takes the samples from them while the device
   computes the next steps. */
void sampling_visit(struct sim *s)
{
  struct sampling *m = s->sampling;
  const int64_t step = s->system->clock.step;
  const int words = words_of(s->measured, step);
  timers_switch(&s->timers, TIMER_observe);
  int64_t *bin = alloc_array(words, sizeof *bin);
  accumulate(s, bin);
  transport_check(&s->transport);
  if (words) ranks_sum_int64(s->ranks, bin, words);
  free(m->word);
  m->word = bin;
  m->deferred = 1;
  if (!s->runs_ahead || step == s->params->run_steps) sampling_take_deferred(s, 0);
}

void sampling_take_deferred(const struct sim *s, int64_t steps)
{
  struct sampling *m = s->sampling;
  if (!m || !m->deferred || s->system->clock.step < m->frame.frame.step + steps) return;
  const int64_t *word = m->word;
  m->deferred = 0;
  for (int k = 0; k < s->measured->n && s->ranks->rank == 0; k++) {
    struct observable *o = &s->measured->observable[k];
    if (!observable_due(o, m->frame.frame.step)) continue;
    observable_take(o, &m->frame.frame, word);
    word += o->words;
  }
}

void sampling_now(struct sim *s)
{
  if (sampling_due(s, s->system->clock.step)) sampling_visit(s);
  sampling_take_deferred(s, 0);
}

int sampling_set_interval(struct sim *s, int64_t steps, int64_t n, const int64_t *step)
{
  s->sampling->after = s->sampling->next = -1;
  return measured_set_interval(s->measured, steps, n, step);
}

void sampling_frames_values(const struct sim *s, double *value)
{
  sampling_take_deferred(s, 0);
  measured_frames_values(s->measured, value);
}

void sampling_save(const struct sim *s, struct run_record *to)
{
  sampling_take_deferred(s, 0);
  measured_save(s->measured, s->ranks, to);
}
