#include "md/biases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/box.h"
#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "input/coordinate_lists.h"
#include "md/bias_record.h"
#include "md/centres.h"
#include "md/hills.h"
#include "pair/constraint_body.h"

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

/* The state that the record has, or that of a start. */
static void state_begin(const struct sim *s, struct bias_state *now)
{
  const struct bias_set *set = &s->biases->set;
  memset(now, 0, sizeof *now);
  now->step = s->system->clock.step;
  if (!bias_record_references(s, now)) {
    centres_references_find(s, s->bias_watch->point, now);
    followed_find(s, now);
  }
  for (int k = 0; k < set->n_biases; k++) {
    const double *was = bias_record_numbers(s, k);
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
    const double *was = bias_record_numbers(s, k);
    if (!b->starts) continue;
    b->start = was ? was[1] : now.value[b->coordinate] / b->unit;
    for (int j = 0; j < BIAS_PARAMETERS_MOST; j++)
      if (b->starts >> j & 1) b->parameter[j].value[0] += b->start;
  }
}

/* Mistakes at the start of a run */

void biases_range(const struct sim *s, int coordinate, double range[2])
{
  const struct coordinate *c = &s->biases->set.coordinate[coordinate];
  const double *box = s->system->box;
  double row[9], half[3] = {0, 0, 0}, sum = 0, sum2 = 0, diagonal2 = 0;
  box_rows(box, row);
  for (int k = 0; k < 9; k++)
    half[k % 3] += fabs(row[k]) / 2;
  for (int k = 0; k < 3; k++) {
    sum += fabs(c->axis[k]) * half[k];
    sum2 += c->axis[k] * half[k] * half[k];
    diagonal2 += half[k] * half[k];
  }
  const int64_t *beads = s->biases->set.beads;
  const double pairs = (double)beads[c->centre[0]] * (double)beads[c->centre[1]];
  const int is_cylinder = c->kind == COORDINATE_cylinder; /* its beads are about a centre */
  const int is_angle = c->kind == COORDINATE_angle || c->kind == COORDINATE_tilt;
  const int is_distance = (c->kind == COORDINATE_distance && !c->follows) || is_cylinder;
  range[1] = is_angle                           ? UNITS_PI
             : c->is_length                     ? sqrt(sum2)
             : is_distance                      ? (1 + is_cylinder) * sum
             : c->kind == COORDINATE_projection ? sqrt(diagonal2)
             : c->kind == COORDINATE_gyration   ? sqrt(diagonal2)
             : c->kind == COORDINATE_contacts   ? pairs
                                                : (double)INFINITY;
  const int has_sign = c->kind == COORDINATE_dihedral || c->kind == COORDINATE_projection ||
                       (c->kind == COORDINATE_distance && !c->is_length) || is_cylinder;
  range[0] = has_sign ? -range[1] : 0;
}

/* Places that a coordinate cannot have. A flat bottom may end beyond what the box allows, on either
   side. end: step at which the run ends. */
static void refuse_places(const struct sim *s, int number, int64_t end, struct params_value *v)
{
  const struct bias_set *set = &s->biases->set;
  const struct bias *b = &set->bias[number];
  const struct coordinate *c = &set->coordinate[b->coordinate];
  const double moved[2] = {b->rate * bias_time(set, s->system->clock.step),
                           b->rate * bias_time(set, end)};
  double range[2];
  biases_range(s, b->coordinate, range);
  for (int k = 0; k < BIAS_PARAMETERS_MOST; k++) {
    const struct bias_parameter *of = &bias_kind_info[b->kind].parameter[k];
    if (!(b->places >> k & 1)) continue;
    const double low = b->unit * (ramp_least(&b->parameter[k]) + fmin(moved[0], moved[1]));
    const double high = b->unit * (ramp_largest(&b->parameter[k]) + fmax(moved[0], moved[1]));
    const int below = low < range[0] - 1e-9 && strcmp(of->name, "low") != 0;
    const int above = high > range[1] + 1e-9 && strcmp(of->name, "high") != 0;
    if (!below && !above) continue;
    const int item = yaml_item(v->tree, v->node, number);
    yaml_add_error(v->tree, yaml_get(v->tree, item, of->name),
                   "%s is %g %s in this run, and '%s' is from %g to %g in this box%s", of->name,
                   (below ? low : high) / b->unit, coordinate_kind_info[c->kind].unit, c->name,
                   range[0] / c->unit, range[1] / c->unit,
                   c->kind == COORDINATE_distance && !c->is_length
                       ? ", as the distance of nearest images; periodic: no follows one image"
                       : "");
  }
}

/* A cylinder whose beads are not all those of nearest images. */
static void refuse_radius(const struct sim *s, int number)
{
  const struct coordinate *c = &s->biases->set.coordinate[number];
  const double *box = s->system->box;
  for (int k = 0; k < 3; k++) {
    const double half = box_height(box, k) / 2;
    if (c->radius <= half || (fabs(c->axis[k]) == 1 && !box_is_oblique(box))) continue;
    die_all(
        STATUS_INPUT,
        "%s: the radius of '%s' is %g nm, and half the %s along %c is %g nm: beads are those of "
        "the nearest images, so it is at most that",
        params_where(s->params, "coordinates", number), c->name, c->radius, box_width_name(box),
        "xyz"[k], half);
  }
}

/* 1 if a bias on the box does something: a barostat changes what it is of. */
static int box_moves(const struct params *p, int kind)
{
  const double *c = p->barostat_compressibility;
  const int flat = p->barostat_coupling != COUPLING_CONSTANT_AREA && (c[0] > 0 || c[1] > 0);
  return p->barostat_type != BAROSTAT_NONE && p->minimise_steps == 0 &&
         (kind == COORDINATE_volume || flat);
}

void biases_check(const struct sim *s)
{
  const struct params *p = s->params;
  struct params_value v = {0};
  if (!s->biases) return;
  const struct bias_set *set = &s->biases->set;
  const int64_t step = s->system->clock.step, end = p->minimise_steps > 0 ? step : p->run_steps;
  params_open(&v, p, "biases");
  for (int k = 0; k < set->n_coordinates && step == 0; k++)
    refuse_radius(s, k);
  for (int k = 0; k < set->n_biases; k++) {
    const struct coordinate *c = &set->coordinate[set->bias[k].coordinate];
    if (!bias_record_numbers(s, k)) refuse_places(s, k, end, &v);
    if (coordinate_kind_info[c->kind].most == 0 && !box_moves(p, c->kind))
      warn("bias '%s' has no effect: %s '%s' is of the box, and no barostat changes it",
           set->bias[k].name, coordinate_kind_info[c->kind].name, c->name);
  }
  params_close(&v);
}

void biases_close(struct sim *s)
{
  hills_close(s);
  biases_destroy(s->biases);
  if (s->bias_watch) free(s->bias_watch->row);
  free(s->bias_watch);
}

void biases_open(struct sim *s, int is_run, int minimises)
{
  const struct params *p = s->params;
  const struct system *y = s->system;
  struct centre_rule rule[CENTRE_RULES_MOST];
  struct biases *b = alloc_array(1, sizeof *b);
  struct error_list m = {0};
  memset(rule, 0, sizeof rule);
  const int n = coordinates_read(p, y->ff, y->n_total, &b->set, rule, &m);
  biases_read(p, &b->set, &m);
  error_list_check(&m);
  if (minimises) {
    b->set.n_constraints = 0;
    b->set.stiffness = CONSTRAINT_STIFF;
  }
  if (b->set.n_coordinates == 0) {
    free(b);
    return;
  }
  s->bias_watch = alloc_array(1, sizeof *s->bias_watch);
  centres_find(s, b, rule, n, s->bias_watch->point);
  contacts_find(s, b);
  centres_reads_set(&b->set, y->box);
  centres_moments_set(&b->set, y->box);
  clock_copy(&b->set.clock, &y->clock, p->run_dt);
  b->set.dt = p->run_dt;
  b->set.rows_every = is_run ? p->output_coordinates_every : 0;
  if (!is_run) b->set.hills.every = INT64_MAX;
  b->set.adds_up = s->ranks->rank == 0;
  s->biases = b;
  /* The box may have changed since the run began, and the scale decides bits. */
  const double scale = bias_record_scale(s);
  if (scale >= 1 && scale <= 0x1p45) b->set.moment_scale = scale;
  starts_set(s);
}

void biases_find_state(struct sim *s)
{
  if (!s->biases) return;
  struct bias_watch *w = s->bias_watch;
  const int64_t every = s->biases->set.rows_every;
  state_begin(s, &w->now);
  bias_record_forces(s, &w->now);
  w->next_row = every > 0 ? (w->now.step + every - 1) / every * every : 0;
}

void biases_start(struct sim *s)
{
  if (!s->biases) return;
  double *node = hills_start(s, &s->bias_watch->now);
  s->backend->ops->bias->load(s->backend, &s->bias_watch->now, node);
  free(node);
}

void biases_save(struct sim *s)
{
  if (s->biases) bias_record_save(s, &s->bias_watch->now);
}

/* Steps */

void biases_apply(struct sim *s)
{
  if (!s->biases) return;
  const struct bias_ops *ops = s->backend->ops->bias;
  const int64_t step = s->system->clock.step;
  const struct bias_set *set = &s->biases->set;
  transport_sum(&s->transport, ops->sum(s->backend, step), bias_place_words(set));
  if (set->n_moments > 0)
    transport_sum(&s->transport, ops->sum_moments(s->backend, step), bias_moment_words(set));
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
  if (now->broken)
    die_all(
        STATUS_NUMERIC,
        "step %lld: the constraint '%s' cannot be held: in one step the groups have come "
        "further from its place than they may move, or its direction has turned by too much. "
        "The last checkpoint stands; take a shorter run.dt, or let the place change more slowly",
        (long long)now->broken_step, set->bias[set->constraint[now->broken - 1]].name);
  if (!now->wide) return;
  if (now->wide >= WIDE_CONTACTS)
    die_all(
        STATUS_NUMERIC,
        "step %lld: the %s has become less than 2 d_max of coordinate '%s'. The last checkpoint "
        "stands; take a smaller d_max, or a larger system",
        (long long)now->wide_step, box_width_name(s->system->box),
        set->coordinate[now->wide - WIDE_CONTACTS].name);
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

static void parameters_take(struct bias *b, const double value[BIAS_PARAMETERS_MOST])
{
  for (int k = 0; k < BIAS_PARAMETERS_MOST; k++)
    if (b->by_replica >> k & 1) b->parameter[k] = ramp_constant(value[k]);
}

void biases_set_parameters(struct sim *s, int bias, const double value[BIAS_PARAMETERS_MOST])
{
  parameters_take(&s->biases->set.bias[bias], value);
}

double biases_energy_with(const struct sim *s, int bias, const double value[BIAS_PARAMETERS_MOST])
{
  const struct bias_set *set = &s->biases->set;
  struct bias b = set->bias[bias];
  double p[BIAS_PARAMETERS_MOST];
  parameters_take(&b, value);
  bias_parameters(&b, bias_time(set, s->system->clock.step), p);
  return bias_evaluate(&b, p, s->bias_watch->now.value[b.coordinate]).u;
}

void biases_renew_forces(struct sim *s)
{
  biases_start(s);
  biases_apply(s);
  s->backend->ops->force(s->backend, FORCE_ALL, FORCE_ENERGY);
  biases_fetch(s);
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

int biases_have_points(const struct sim *s)
{
  const struct bias_set *set = s->biases ? &s->biases->set : NULL;
  for (int k = 0; set && k < set->n_biases; k++) {
    const struct coordinate *c = &set->coordinate[set->bias[k].coordinate];
    for (int j = 0; j < c->n_centres; j++)
      if (set->beads[c->centre[j]] == 0) return 1;
  }
  return 0;
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
