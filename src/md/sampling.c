#include "md/sampling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "input/yaml_tree.h"
#include "md/membrane.h"
#include "md/sampling_frame.h"
#include "observe/frames.h"
#include "observe/observables.h"
#include "observe/results.h"

struct sampling {
  struct observe_system about;
  struct observable *observable;
  int n;
  int64_t after, next; /* no sample is due at a step above `after` and below `next` */
  struct sampling_frame frame;
  int64_t *word; /* sums over ranks at the step of the frame; NULL: none yet */
  int deferred;  /* 1: their samples have not been taken yet */
};

static int is_due(const struct sim *s, int k, int64_t step)
{
  return observable_due(&s->sampling->observable[k], step);
}

/* The first step after `step` at which an observable is due. */
static int64_t next_due(const struct sampling *m, int64_t step)
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

/* 1 if any observable is due at a step. Asked for several times in each step, so the steps without
   samples are remembered. */
static int any_due(const struct sim *s, int64_t step)
{
  struct sampling *m = s->sampling;
  if (!m || (step > m->after && step < m->next)) return 0;
  if (step == m->next) return 1;
  m->after = step;
  m->next = next_due(m, step);
  for (int k = 0; k < m->n; k++)
    if (is_due(s, k, step)) return 1;
  return 0;
}

static unsigned needs_of(const struct sim *s, int64_t step)
{
  unsigned needs = 0;
  if (!any_due(s, step)) return 0;
  for (int k = 0; k < s->sampling->n; k++)
    if (is_due(s, k, step)) needs |= s->sampling->observable[k].needs;
  return needs;
}

int sampling_needs(const struct sim *s, int64_t step, unsigned need)
{
  return (needs_of(s, step) & need) != 0;
}

unsigned sampling_all_needs(const struct sim *s)
{
  unsigned needs = 0;
  for (int k = 0; s->sampling && k < s->sampling->n; k++)
    needs |= s->sampling->observable[k].needs;
  return needs;
}

const char *sampling_who_needs(const struct sim *s, unsigned need)
{
  for (int k = 0; s->sampling && k < s->sampling->n; k++)
    if (s->sampling->observable[k].needs & need) return s->sampling->observable[k].name;
  return "";
}

const char *sampling_standard(int64_t lipids)
{
  if (lipids > 0)
    return "[{membrane: {every: 1}}, {density: {every: 1}}, {order: {every: 1}}, "
           "{leaflets: {every: 1}}, {undulation: {every: 1}}, {msd: {every: 1}}]";
  return "[{density: {every: 1}}, {msd: {every: 1}}]";
}

/* The observer */

static int due(const struct sim *s, const struct due *d)
{
  return any_due(s, d->step);
}

static int force_flags(const struct sim *s, const struct due *d)
{
  return sampling_needs(s, d->step, NEEDS_ENERGIES) ? FORCE_ENERGY : 0;
}

static int64_t words_of(const struct sim *s)
{
  int64_t words = 0;
  for (int k = 0; k < s->sampling->n; k++)
    if (is_due(s, k, s->system->clock.step)) words += s->sampling->observable[k].words;
  return words;
}

static int bins(const struct sim *s)
{
  return (int)words_of(s);
}

static void accumulate(struct sim *s, int64_t *bin)
{
  struct sampling *m = s->sampling;
  const int64_t step = s->system->clock.step;
  sampling_frame_take(s, &m->about, needs_of(s, step), &m->frame);
  for (int k = 0; k < m->n; k++) {
    struct observable *o = &m->observable[k];
    if (!is_due(s, k, step)) continue;
    o->kind->collect(o, &m->frame.frame, bin);
    bin += o->words;
  }
  backend_bins_wait(s->backend);
}

/* Keeps the sums. Samples are taken from them while the device computes the next steps, if it can:
   that is work for rank 0 alone. */
static int64_t *take(struct sim *s, int64_t *bin)
{
  struct sampling *m = s->sampling;
  int64_t *before = m->word;
  m->word = bin;
  m->deferred = 1;
  if (!s->runs_ahead || s->system->clock.step == s->params->run_steps) sampling_take_deferred(s, 0);
  return before;
}

void sampling_take_deferred(const struct sim *s, int64_t steps)
{
  struct sampling *m = s->sampling;
  if (!m || !m->deferred || s->system->clock.step < m->frame.frame.step + steps) return;
  const int64_t *word = m->word;
  m->deferred = 0;
  for (int k = 0; k < m->n && s->ranks->rank == 0; k++) {
    struct observable *o = &m->observable[k];
    if (!is_due(s, k, m->frame.frame.step)) continue;
    observable_take(o, &m->frame.frame, word);
    word += o->words;
  }
}

const struct observer sampling_observer = {.name = "observables",
                                           .timer = TIMER_observe,
                                           .due = due,
                                           .force_flags = force_flags,
                                           .bins = bins,
                                           .accumulate = accumulate,
                                           .take = take};

void sampling_now(struct sim *s)
{
  if (any_due(s, s->system->clock.step)) observer_visit(s, &sampling_observer);
  sampling_take_deferred(s, 0);
}

static int64_t common_multiple(int64_t a, int64_t b)
{
  const int64_t divisor = schedule_common_divisor(a, b), parts = divisor > 0 ? a / divisor : a;
  return b > 0 && parts > INT64_MAX / b ? INT64_MAX : parts * b;
}

int sampling_set_interval(struct sim *s, int64_t steps, int64_t n, const int64_t *step)
{
  int all = 1;
  for (int k = 0; k < s->sampling->n; k++) {
    int found = 0;
    s->sampling->observable[k].every = common_multiple(s->sampling->observable[k].every, steps);
    for (int64_t j = 0; j < n; j++)
      found |= is_due(s, k, step[j]);
    all &= found;
  }
  s->sampling->after = s->sampling->next = -1;
  return all;
}

/* 1 if two frames that an observable takes follow each other in its interval. */
static int is_even(const struct observable *o, const int64_t *step, const double *time, int64_t a,
                   int64_t b)
{
  const double interval = (double)o->every * o->about->dt;
  return step[b] - step[a] == o->every && fabs(time[b] - time[a] - interval) <= 1e-6 * interval;
}

const char *sampling_who_is_uneven(const struct sim *s, int64_t n, const int64_t *step,
                                   const double *time)
{
  for (int k = 0; k < s->sampling->n; k++) {
    const struct observable *o = &s->sampling->observable[k];
    int64_t before = -1;
    for (int64_t j = 0; o->kind->even && j < n; j++) {
      if (!is_due(s, k, step[j])) continue;
      if (before >= 0 && !is_even(o, step, time, before, j)) return o->name;
      before = j;
    }
  }
  return NULL;
}

/* Creation */

/* Kind and options of an observable, and the lipids that it is of, as YAML: what must mean the same
   in a continued run. Caller frees. */
static char *options_text(const struct observable *o)
{
  char *lipids = o->of_lipids ? lipids_text(o->about->lipids) : text_copy("");
  char *text =
      alloc_array((long long)(strlen(o->kind->name) + strlen(o->options) + strlen(lipids) + 16), 1);
  sprintf(text, o->of_lipids ? "{%s: %s, of: %s}" : "%s: %s%s", o->kind->name, o->options, lipids);
  free(lipids);
  return text;
}

/* Status 2 if samples would follow each other in other intervals than before. Rank 0. */
static void refuse_interval(const struct observable *o)
{
  const double now = (double)o->every * o->about->dt;
  if (!o->kind->even || o->blocks.samples == 0 || fabs(o->interval - now) <= 1e-9 * now) return;
  die(STATUS_INPUT,
      "run.dt: it was %.10g ps and is %.10g ps, so the samples of the observable '%s' would be "
      "%.10g "
      "ps apart and no longer %.10g ps, and its lags need equal intervals. Give run.dt its former "
      "value, or the observable another name ('%s: {name: %s_2}' in the list 'observe'): under "
      "that "
      "it begins anew, and the tables of '%s' stay as they are",
      o->interval / (double)o->every, o->about->dt, o->name, now, o->interval, o->kind->name,
      o->name, o->name);
}

static void continue_one(const struct sim *s, struct observable *o, const struct accumulated *was)
{
  char *text = options_text(o);
  if (!yaml_mean_same(text, was->options))
    die_all(STATUS_INPUT,
            "observe: '%s' was '%s' in the job before and is '%s' now, and both cannot be averaged "
            "together: give it the former options, or another name with 'name:'",
            o->name, was->options, text);
  free(text);
  if (s->ranks->rank == 0 && !observable_load(o, was->data, was->n))
    die(STATUS_IO,
        "what observable '%s' accumulated in the jobs before does not fit it: the checkpoint was "
        "changed, or another version wrote it. Leave '%s' out, or give it another name",
        o->name, o->name);
  if (s->ranks->rank == 0) refuse_interval(o);
}

/* The observable of the list that has a name; NULL: none. */
static struct observable *named(const struct sim *s, const char *name)
{
  for (int k = 0; s->sampling && k < s->sampling->n; k++)
    if (!strcmp(s->sampling->observable[k].name, name)) return &s->sampling->observable[k];
  return NULL;
}

static void continue_all(const struct sim *s)
{
  for (int j = 0; j < s->system->run.n_accumulated; j++) {
    const struct accumulated *was = &s->system->run.accumulated[j];
    struct observable *o = named(s, was->name);
    if (o)
      continue_one(s, o, was);
    else if (s->params->output_prefix[0])
      info("observe: '%s', which the jobs before measured, is not in the list: its tables stay as "
           "they are, and the next checkpoint has no more of it",
           was->name);
  }
}

void sampling_warn_unused(const struct sim *s)
{
  const struct params *p = s->params;
  for (int k = 0; s->sampling && k < s->sampling->n; k++) {
    const struct observable *o = &s->sampling->observable[k];
    if (o->from > p->run_steps)
      warn("observe: '%s' begins at step %lld, after the last one (%lld): it measures nothing",
           o->name, (long long)o->from, (long long)p->run_steps);
    else if (p->run_steps > 0 && o->every > p->run_steps)
      warn("observe: '%s' is due every %lld steps, and the run has %lld", o->name,
           (long long)o->every, (long long)p->run_steps);
  }
}

static void about_create(struct sim *s, struct sampling *m)
{
  struct observe_system *a = &m->about;
  a->lipids = s->lipids;
  observe_system_create(a, s->ranks, s->system);
  a->temperature = s->params->thermostat_temperature;
  a->dt = s->params->run_dt;
  a->bilayers = (int)s->params->output_bilayers;
  a->continued = s->system->run.n_accumulated > 0;
}

/* Status 2 if the words of a step are more than one message can have. */
static void refuse_words(const struct sampling *m)
{
  int64_t words = 0;
  for (int k = 0; k < m->n; k++)
    words += m->observable[k].words;
  if (words > INT32_MAX / 2)
    die_all(STATUS_INPUT,
            "observe: a step at which all %d observables are due adds up %lld numbers over the "
            "ranks, more than are possible: take fewer observables or fewer bins",
            m->n, (long long)words);
}

void sampling_create(struct sim *s)
{
  const struct params *p = s->params;
  struct error_list errors = {0};
  if (p->observe[0] && strcmp(p->observe, "[]") != 0) {
    struct sampling *m = alloc_array(1, sizeof *m);
    int list;
    s->sampling = m;
    about_create(s, m);
    struct yaml_tree *t = params_tree(p, "observe", p->observe, &errors, &list);
    m->observable = observables_create(t, list, &m->about, &m->n);
    m->after = m->next = -1;
    error_list_check(&errors);
    yaml_destroy(t);
    refuse_words(m);
    if (p->output_prefix[0]) observe_results_check(s->ranks, p->output_prefix, m->observable, m->n);
  }
  continue_all(s);
}

void sampling_without_rotation(struct sim *s)
{
  if (s->sampling) s->sampling->about.no_rotation = 1;
}

void sampling_destroy(struct sim *s)
{
  if (!s->sampling) return;
  observables_destroy(s->sampling->observable, s->sampling->n);
  observe_system_destroy(&s->sampling->about);
  sampling_frame_free(&s->sampling->frame);
  free(s->sampling->word);
  free(s->sampling);
  s->sampling = NULL;
}

/* Frames */

void sampling_frames_list(const struct sim *s, struct trajectory_observed_list *list)
{
  const struct sampling *m = s->sampling;
  *list = (struct trajectory_observed_list){0, alloc_array(m ? m->n : 0, sizeof *list->one)};
  for (int k = 0; m && k < m->n; k++) {
    const struct observable *o = &m->observable[k];
    if (!o->frames) continue;
    struct trajectory_observed *to = &list->one[list->n++];
    snprintf(to->name, sizeof to->name, "%.31s", o->name);
    to->values = o->values;
    to->options = options_text(o);
    to->columns = observe_frames_columns(o);
  }
}

void sampling_frames_values(const struct sim *s, double *value)
{
  const struct sampling *m = s->sampling;
  sampling_take_deferred(s, 0);
  for (int k = 0; m && k < m->n; k++) {
    const struct observable *o = &m->observable[k];
    if (!o->frames) continue;
    memcpy(value, o->last, (size_t)o->values * sizeof *value);
    value += o->values;
  }
}

/* Checkpoints and results */

void sampling_save(const struct sim *s, struct run_record *to)
{
  const struct sampling *m = s->sampling;
  sampling_take_deferred(s, 0);
  const int n = m ? m->n : 0;
  struct accumulated *all = n ? alloc_array(n, sizeof *all) : NULL;
  for (int k = 0; k < n; k++) {
    struct accumulated *one = &all[k];
    const struct observable *o = &m->observable[k];
    snprintf(one->name, sizeof one->name, "%.31s", o->name);
    one->options = options_text(o);
    if (s->ranks->rank == 0) one->data = observable_save(o, &one->n);
    ranks_broadcast(s->ranks, &one->n, sizeof one->n);
  }
  run_record_take_accumulated(to, n, all);
}

void sampling_write(const struct sim *s, const struct ranks *r, const struct run_record *saved)
{
  const struct sampling *m = s->sampling;
  if (!m || !s->params->output_prefix[0]) return;
  double **data = alloc_array(m->n, sizeof *data);
  int64_t *n = alloc_array(m->n, sizeof *n);
  for (int k = 0; k < m->n; k++) {
    data[k] = saved->accumulated[k].data;
    n[k] = saved->accumulated[k].n;
  }
  observe_results_write(r, s->params->output_prefix, saved->id, m->observable, m->n, data, n);
  free(data);
  free(n);
}

double sampling_results_bytes(const struct sim *s)
{
  enum { NUMBER = 8 + 14 }; /* in HDF5, and in text */
  double results = 0;
  for (int k = 0; s->sampling && k < s->sampling->n; k++)
    results += 1000 + 3.0 * s->sampling->observable[k].results; /* value, error, time */
  return NUMBER * results;
}

void sampling_write_again(struct ranks *r, const struct params *p, struct system *y)
{
  if (y->run.n_accumulated == 0 || !y->run.parameters) return;
  struct params *was = params_from_text(y->run.parameters);
  free(was->output_prefix);
  was->output_prefix = text_copy(p->output_prefix);
  struct sim s = {.ranks = r, .params = was, .system = y, .lipids = membrane_open(r, was, y)};
  struct run_record results = {0};
  sampling_create(&s);
  const struct sampling *m = s.sampling;
  if (m && !observe_results_are_current(r, p->output_prefix, y->run.id, m->observable, m->n)) {
    info("the results of the observables are not those of step %lld, the last one: they are "
         "written again from the sums in the checkpoint",
         (long long)y->clock.step);
    run_record_set_id(&results, y->run.id);
    sampling_save(&s, &results);
    sampling_write(&s, r, &results);
    run_record_free(&results);
  }
  sampling_destroy(&s);
  lipids_destroy(s.lipids);
  params_destroy(was);
}

/* 1 if the checkpoint has an observable that the job leaves out. */
static int leaves_out(const struct sim *s)
{
  for (int j = 0; j < s->system->run.n_accumulated; j++)
    if (!named(s, s->system->run.accumulated[j].name)) return 1;
  return 0;
}

void sampling_keep_results(struct sim *s)
{
  if (!s->params->output_prefix[0] || !leaves_out(s)) return;
  sampling_write_again(s->ranks, s->params, s->system);
  observe_results_copy(s->ranks, s->params->output_prefix, s->system->clock.step);
}
