#include "md/biases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "input/coordinate_lists.h"
#include "input/yaml_tree.h"
#include "md/centres.h"
#include "md/hills.h"
#include "pair/bias_body.h"

struct bias_watch {
  struct bias_state now;
  int64_t next_row;              /* step of the next row to fetch */
  int64_t first, n;              /* step of the first row that was fetched, and their number */
  double *row;                   /* [n] rows */
  double point[CENTRES_MOST][3]; /* of centres without beads, at the start, nm */
};

/* Sets differences that are followed to those at the place of the first bias: their images are
   nearest to it. */
static void followed_find(const struct sim *s, struct bias_state *now)
{
  const struct bias_set *set = &s->biases->set;
  for (int j = set->n_biases - 1; j >= 0; j--) {
    const struct bias *b = &set->bias[j];
    const struct coordinate *c = &set->coordinate[b->coordinate];
    double p[BIAS_PARAMETERS_MOST], d[3], f[3];
    bias_parameters(b, bias_time(set, now->step), p);
    for (int k = BIAS_PARAMETERS_MOST - 1; k >= 0; k--) {
      if (!c->follows || b->starts || !(b->places >> k & 1) || !isfinite(p[k])) continue;
      for (int l = 0; l < 3; l++)
        d[l] = p[k] * c->axis[l];
      box_fraction(s->system->box, d, f);
      for (int l = 0; l < 3; l++)
        now->followed[b->coordinate][l] = llrint(f[l] * TORUS_EDGE);
    }
  }
}

/* The record */

static const char coordinates_name[] = "coordinates", biases_name[] = "biases";
enum { KEPT_OF_BIAS = 2 }; /* numbers: bias_kept */

static int64_t kept_numbers(const struct bias_set *set)
{
  return 3LL * set->n_centres + 3LL * set->n_coordinates + 1;
}

/* The numbers that the record has of these coordinates; NULL: it has none. */
static const double *coordinates_kept(const struct sim *s)
{
  const struct accumulated *was = run_record_force(&s->system->run, coordinates_name);
  if (!was || was->n != kept_numbers(&s->biases->set)) return NULL;
  return yaml_mean_same(was->options, s->params->coordinates) ? was->data : NULL;
}

/* 1 if the record has the references of these coordinates, which it then sets. */
static int references_kept(const struct sim *s, struct bias_state *now)
{
  const struct bias_set *set = &s->biases->set;
  const double *from = coordinates_kept(s);
  if (!from) return 0;
  for (int k = 0; k < set->n_centres; k++)
    for (int d = 0; d < 3; d++)
      now->place[k][d] = (uint64_t)*from++ << 32;
  for (int k = 0; k < set->n_coordinates; k++)
    for (int d = 0; d < 3; d++)
      now->followed[k][d] = (int64_t)*from++;
  return 1;
}

/* The numbers of a bias that the record has by name: its work, and the value at its start. NULL: it
   has none. */
static const double *bias_kept(const struct sim *s, const char *name)
{
  const struct accumulated *was = run_record_force(&s->system->run, biases_name);
  char *names = was ? text_copy(was->options) : NULL, *rest = names;
  const double *found = NULL;
  const char *one;
  for (int k = 0; was && k < was->n / KEPT_OF_BIAS && (one = strsep(&rest, "\n")); k++)
    if (!strcmp(one, name)) found = was->data + (ptrdiff_t)KEPT_OF_BIAS * k;
  free(names);
  return found;
}

/* The state that the record has, or that of a start. */
static void state_begin(const struct sim *s, struct bias_state *now)
{
  const struct bias_set *set = &s->biases->set;
  memset(now, 0, sizeof *now);
  now->step = s->system->clock.step;
  if (!references_kept(s, now)) {
    centres_references_find(s, s->bias_watch->point, now);
    followed_find(s, now);
  }
  for (int k = 0; k < set->n_biases; k++) {
    const double *was = bias_kept(s, set->bias[k].name);
    if (was) now->work[k] = was[0];
  }
}

/* Adds the values of coordinates to the places that count from them: those at the start of a bias,
   which the record has, or the present ones. */
static void starts_set(struct sim *s)
{
  struct bias_set *set = &s->biases->set;
  struct bias_state before, now;
  int starts = 0;
  for (int k = 0; k < set->n_biases; k++)
    starts |= set->bias[k].starts;
  if (!starts) return;
  state_begin(s, &before);
  now = before;
  centres_solve(s, &before, &now);
  for (int k = 0; k < set->n_biases; k++) {
    struct bias *b = &set->bias[k];
    const double *was = bias_kept(s, b->name);
    if (!b->starts) continue;
    b->start = was ? was[1] : now.value[b->coordinate] / b->unit;
    for (int j = 0; j < BIAS_PARAMETERS_MOST; j++)
      if (b->starts >> j & 1) b->parameter[j].value[0] += b->start;
  }
}

void biases_close(struct sim *s)
{
  hills_close(s);
  biases_destroy(s->biases);
  if (s->bias_watch) free(s->bias_watch->row);
  free(s->bias_watch);
}

void biases_open(struct sim *s, int is_run)
{
  const struct params *p = s->params;
  const struct system *y = s->system;
  struct centre_rule rule[CENTRE_RULES_MOST];
  struct biases *b = alloc_array(1, sizeof *b);
  memset(rule, 0, sizeof rule);
  const int n = coordinates_read(p, y->ff, y->n_total, &b->set, rule);
  biases_read(p, &b->set);
  if (b->set.n_coordinates == 0) {
    free(b);
    return;
  }
  s->bias_watch = alloc_array(1, sizeof *s->bias_watch);
  centres_find(s, b, rule, n, s->bias_watch->point);
  centres_reads_set(&b->set, y->box);
  centres_moments_set(&b->set, y->box);
  b->set.origin_step = y->clock.origin_step;
  b->set.origin_time = y->clock.origin_time;
  b->set.dt = p->run_dt;
  b->set.rows_every = is_run ? p->output_coordinates_every : 0;
  if (!is_run) b->set.hills.every = INT64_MAX;
  b->set.adds_up = s->ranks->rank == 0;
  s->biases = b;
  /* The box may have changed since the run began, and the scale decides bits. */
  const double *kept = coordinates_kept(s), scale = kept ? kept[kept_numbers(&b->set) - 1] : 0;
  if (scale >= 1 && scale <= 0x1p45) b->set.moment_scale = scale;
  starts_set(s);
}

void biases_start(struct sim *s)
{
  if (!s->biases) return;
  struct bias_watch *w = s->bias_watch;
  const int64_t every = s->biases->set.rows_every;
  state_begin(s, &w->now);
  double *node = hills_start(s, &w->now);
  s->backend->ops->bias->load(s->backend, &w->now, node);
  free(node);
  w->next_row = every > 0 ? (w->now.step + every - 1) / every * every : 0;
}

/* One that biases_save makes. text: taken over. */
static struct accumulated saved(const char *name, char *text, int64_t n)
{
  struct accumulated a = {"", text, n, alloc_array(n, sizeof(double))};
  strcpy(a.name, name);
  return a;
}

static char *names_text(const struct bias_set *set)
{
  char *text = alloc_array(BIASES_MOST * (BIAS_NAME + 1) + 1, 1);
  for (int k = 0; k < set->n_biases; k++) {
    if (k) strcat(text, "\n");
    strcat(text, set->bias[k].name);
  }
  return text;
}

void biases_save(struct sim *s)
{
  if (!s->biases) return;
  const struct bias_set *set = &s->biases->set;
  const struct bias_state *now = &s->bias_watch->now;
  struct accumulated *all = alloc_array(3, sizeof *all);
  int n = set->n_biases ? 2 : 1;
  all[0] = saved(coordinates_name, text_copy(s->params->coordinates), kept_numbers(set));
  if (n > 1) all[1] = saved(biases_name, names_text(set), (int64_t)KEPT_OF_BIAS * set->n_biases);
  double *to = all[0].data;
  for (int k = 0; k < set->n_centres; k++)
    for (int d = 0; d < 3; d++)
      *to++ = (double)centre_reference(now->place[k][d]);
  for (int k = 0; k < set->n_coordinates; k++)
    for (int d = 0; d < 3; d++)
      *to++ = (double)now->followed[k][d];
  *to++ = set->moment_scale;
  for (int k = 0; k < set->n_biases; k++) {
    all[1].data[KEPT_OF_BIAS * k] = now->work[k];
    all[1].data[KEPT_OF_BIAS * k + 1] = set->bias[k].start;
  }
  if (hills_save(s, &all[n])) n++;
  run_record_set_forces(&s->system->run, n, all);
}

/* Steps */

void biases_apply(struct sim *s)
{
  if (!s->biases) return;
  const struct bias_ops *ops = s->backend->ops->bias;
  const int64_t step = s->system->clock.step;
  const struct bias_set *set = &s->biases->set;
  transport_sum(&s->transport, ops->sum(s->backend, step), bias_centre_words(set));
  if (set->n_moments > 0)
    transport_sum(&s->transport, ops->sum_moments(s->backend, step), set->n_moments);
  ops->solve(s->backend, step);
}

void biases_measure(struct sim *s)
{
  if (!s->biases) return;
  struct bias_state before = s->bias_watch->now;
  before.step = s->system->clock.step;
  centres_references_find(s, s->bias_watch->point, &before);
  centres_solve(s, &before, &s->bias_watch->now);
}

static void refuse_widened(const struct sim *s)
{
  const struct bias_set *set = &s->biases->set;
  const struct bias_state *now = &s->bias_watch->now;
  if (!now->wide) return;
  die_all(STATUS_NUMERIC,
          "step %lld: a group of coordinate '%s' (%lld beads) has become wider than half the box "
          "along an axis that the coordinate reads: its centre has no meaning any more. The last "
          "checkpoint stands; take fewer beads, or a coordinate along another axis",
          (long long)now->wide_step, centres_owner(set, (int)now->wide - 1)->name,
          (long long)set->beads[now->wide - 1]);
}

void biases_fetch(struct sim *s)
{
  if (!s->biases) return;
  struct bias_watch *w = s->bias_watch;
  const struct bias_set *set = &s->biases->set;
  const int64_t step = s->system->clock.step, every = set->rows_every, next = w->next_row;
  const int64_t more = every > 0 && next <= step ? (step - next) / every + 1 : 0;
  const int length = bias_row_length(set);
  if (more > 0) {
    if (w->n == 0) w->first = next;
    w->row = grow_array(w->row, (w->n + more) * length, sizeof *w->row);
  }
  s->backend->ops->bias->fetch(s->backend, step, &w->now, more > 0 ? next : step + 1,
                               more > 0 ? w->row + w->n * length : NULL);
  w->n += more;
  w->next_row += more * every;
  refuse_widened(s);
  hills_fetch(s, &w->now);
}

const struct bias_state *biases_state(const struct sim *s)
{
  return s->biases ? &s->bias_watch->now : NULL;
}

void biases_values(const struct sim *s, double value[COORDINATES_MOST])
{
  for (int k = 0; s->biases && k < s->biases->set.n_coordinates; k++)
    value[k] = s->bias_watch->now.value[k] / s->biases->set.coordinate[k].unit;
}

double biases_work(const struct sim *s)
{
  double work = 0;
  for (int k = 0; s->biases && k < s->biases->set.n_biases; k++)
    work += s->bias_watch->now.work[k];
  return work;
}

void biases_take_rows(struct sim *s, void (*write)(void *context, int64_t step, const double *row),
                      void *context)
{
  struct bias_watch *w = s->bias_watch;
  if (!w) return;
  for (int64_t k = 0; k < w->n; k++)
    write(context, w->first + k * s->biases->set.rows_every,
          w->row + k * bias_row_length(&s->biases->set));
  w->n = 0;
}
