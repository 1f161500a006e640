#include "md/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "input/coordinate_lists.h"
#include "input/group_use.h"
#include "input/yaml_tree.h"
#include "md/membrane.h"
#include "observe/observable.h"
#include "observe/results.h"

/* Kind, options, lipids and named groups of an observable as YAML: what must not change in a
   continued run. Caller frees. */
static char *options_text(const struct observable *o)
{
  const char *const options = o->options, *kind = o->kind->name;
  char *groups = named_groups_used(o->about->params->groups, &options, 1);
  char *lipids = o->of_lipids ? lipids_text(o->about->lipids) : NULL;
  const int named = strcmp(groups, "[]") != 0;
  char *text = lipids || named ? text_format("{%s: %s%s%s%s%s}", kind, options,
                                             lipids ? ", of: " : "", lipids ? lipids : "",
                                             named ? ", groups: " : "", named ? groups : "")
                               : text_format("%s: %s", kind, options);
  free(groups);
  free(lipids);
  return text;
}

/* Status 2 if the time between samples is not that of the previous jobs. Rank 0. */
static void refuse_interval(const struct observable *o)
{
  const double now = (double)o->every * o->about->dt;
  if (!o->kind->even || o->blocks.samples == 0 || fabs(o->interval - now) <= 1e-9 * now) return;
  die(STATUS_INPUT,
      "run.dt: it was %.10g ps and is %.10g ps, so the samples of the observable '%s' would be "
      "%.10g ps apart and no longer %.10g ps, and its lags need equal intervals. Give run.dt its "
      "former value, or the observable another name ('%s: {name: %s_2}' in the list 'observe'): "
      "under that it begins anew, and the tables of '%s' stay as they are",
      o->interval / (double)o->every, o->about->dt, o->name, now, o->interval, o->kind->name,
      o->name, o->name);
}

static void continue_one(const struct ranks *r, struct observable *o, const struct accumulated *was)
{
  char *text = options_text(o);
  if (!yaml_mean_same(text, was->options))
    die_all(STATUS_INPUT,
            "observe: '%s' was '%s' in the job before and is '%s' now, and both cannot be averaged "
            "together: give it the former options, or another name with 'name:'",
            o->name, was->options, text);
  free(text);
  if (r->rank == 0 && !observable_load(o, was->data, was->n))
    die(STATUS_IO,
        "what observable '%s' accumulated in the jobs before does not fit it: the checkpoint was "
        "changed, or another version wrote it. Leave '%s' out, or give it another name",
        o->name, o->name);
  if (r->rank == 0) refuse_interval(o);
}

/* The observable of the list that has a name; NULL: none. */
static struct observable *named(const struct measured *m, const char *name)
{
  for (int k = 0; m && k < m->n; k++)
    if (!strcmp(m->observable[k].name, name)) return &m->observable[k];
  return NULL;
}

static void continue_all(const struct ranks *r, const struct params *p,
                         const struct run_record *run, const struct measured *m)
{
  for (int j = 0; j < run->n_accumulated; j++) {
    const struct accumulated *was = &run->accumulated[j];
    struct observable *o = named(m, was->name);
    if (o)
      continue_one(r, o, was);
    else if (p->output_prefix[0])
      info("observe: '%s', which the jobs before measured, is not in the list: its tables stay as "
           "they are, and the next checkpoint leaves it out",
           was->name);
  }
}

void measured_warn_unused(const struct measured *m, const struct params *p)
{
  for (int k = 0; m && k < m->n; k++) {
    const struct observable *o = &m->observable[k];
    if (o->from > p->run_steps)
      warn("observe: '%s' begins at step %lld, after the last one (%lld): it measures nothing",
           o->name, (long long)o->from, (long long)p->run_steps);
    else if (p->run_steps > 0 && o->every > p->run_steps)
      warn("observe: '%s' is due every %lld steps, and the run has %lld", o->name,
           (long long)o->every, (long long)p->run_steps);
  }
}

static void about_create(struct observe_system *a, const struct ranks *r, const struct params *p,
                         struct system *y, const struct lipids *lipids)
{
  a->lipids = lipids;
  a->params = p;
  observe_system_create(a, r, y);
  a->coordinates = coordinates_outline(p, y->ff, y->n_total);
  a->temperature = ramp_last(&p->thermostat_temperature);
  a->dt = p->run_dt;
  a->bilayers = (int)p->output_bilayers;
  a->continued = y->run.n_accumulated > 0;
}

/* Status 2 if the words of a step are more than one message can have. */
static void refuse_words(const struct measured *m)
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

struct measured *measured_create(const struct ranks *r, const struct params *p, struct system *y,
                                 const struct lipids *lipids)
{
  struct params_value v = {0};
  struct measured *m = NULL;
  if (p->observe[0] && strcmp(p->observe, "[]") != 0) {
    m = alloc_array(1, sizeof *m);
    about_create(&m->about, r, p, y, lipids);
    params_open(&v, p, "observe");
    m->observable = observables_create(v.tree, v.node, &m->about, &m->n);
    params_close(&v);
    refuse_words(m);
    if (p->output_prefix[0]) observe_results_check(r, p->output_prefix, m->observable, m->n);
  }
  continue_all(r, p, &y->run, m);
  return m;
}

void measured_without_rotation(struct measured *m)
{
  if (m) m->about.no_rotation = 1;
}

void measured_destroy(struct measured *m)
{
  if (!m) return;
  observables_destroy(m->observable, m->n);
  observe_system_destroy(&m->about);
  free(m);
}

/* Frames */

void measured_frames_list(const struct measured *m, struct trajectory_observed_list *list)
{
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

void measured_frames_values(const struct measured *m, double *value)
{
  for (int k = 0; m && k < m->n; k++) {
    const struct observable *o = &m->observable[k];
    if (!o->frames) continue;
    memcpy(value, o->last, (size_t)o->values * sizeof *value);
    value += o->values;
  }
}

/* Checkpoints and results */

void measured_save(const struct measured *m, const struct ranks *r, struct run_record *to)
{
  const int n = m ? m->n : 0;
  struct accumulated *all = n ? alloc_array(n, sizeof *all) : NULL;
  for (int k = 0; k < n; k++) {
    struct accumulated *one = &all[k];
    const struct observable *o = &m->observable[k];
    snprintf(one->name, sizeof one->name, "%.31s", o->name);
    one->options = options_text(o);
    if (r->rank == 0) one->data = observable_save(o, &one->n);
    ranks_broadcast(r, &one->n, sizeof one->n);
  }
  run_record_set_accumulated(to, n, all);
}

void measured_write(const struct measured *m, const struct ranks *r, const char *prefix,
                    const struct run_record *saved)
{
  if (!m || !prefix[0]) return;
  double **data = alloc_array(m->n, sizeof *data);
  int64_t *n = alloc_array(m->n, sizeof *n);
  for (int k = 0; k < m->n; k++) {
    data[k] = saved->accumulated[k].data;
    n[k] = saved->accumulated[k].n;
  }
  observe_results_write(r, prefix, saved->id, m->observable, m->n, data, n);
  free(data);
  free(n);
}

double measured_results_bytes(const struct measured *m)
{
  enum { NUMBER = 8 + 14 }; /* in HDF5, and in text */
  double results = 0;
  for (int k = 0; m && k < m->n; k++)
    results += 1000 + 3.0 * m->observable[k].results; /* value, error, time */
  return NUMBER * results;
}

void measured_write_again(const struct ranks *r, const char *prefix, struct system *y)
{
  if (y->run.n_accumulated == 0 || !y->run.parameters) return;
  struct params *was = params_from_text(y->run.parameters);
  params_set_text(was, "output.prefix", prefix);
  struct lipids *lipids = membrane_open(r, was, y);
  struct measured *m = measured_create(r, was, y, lipids);
  struct run_record results = {0};
  if (m && !observe_results_are_current(r, prefix, y->run.id, m->observable, m->n)) {
    info("the results of the observables are not those of step %lld, the last one: they are "
         "written again from the sums in the checkpoint",
         (long long)y->clock.step);
    run_record_set_id(&results, y->run.id);
    measured_save(m, r, &results);
    measured_write(m, r, prefix, &results);
    run_record_free(&results);
  }
  measured_destroy(m);
  lipids_destroy(lipids);
  params_destroy(was);
}

/* 1 if the checkpoint has an observable that this job leaves out. */
static int leaves_out(const struct measured *m, const struct run_record *run)
{
  for (int j = 0; j < run->n_accumulated; j++)
    if (!named(m, run->accumulated[j].name)) return 1;
  return 0;
}

void measured_keep_results(const struct measured *m, const struct ranks *r, const char *prefix,
                           struct system *y)
{
  if (!prefix[0] || !leaves_out(m, &y->run)) return;
  measured_write_again(r, prefix, y);
  observe_results_copy(r, prefix, y->clock.step);
}
