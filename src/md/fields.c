#include "md/fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/axis.h"
#include "base/log.h"
#include "base/portable.h"
#include "base/text.h"
#include "base/torus.h"
#include "base/units.h"
#include "input/field_reader.h"
#include "md/field_map.h"
#include "md/schedule.h"
#include "molecules/group_find.h"
#include "pair/external_body.h"

struct field_watch {
  int64_t before[WORK_WORDS]; /* what is added to the sum of the backends of all ranks */
  int64_t now[WORK_WORDS];    /* since the start of the run, of the step that was taken last */
};

/* "field 2 (sphere)", in messages. */
static const char *name_of(const struct sim *s, int k, char name[64])
{
  snprintf(name, 64, "fields: field %d (%s)", k + 1, external_form_info[s->field[k].form].name);
  return name;
}

/* Its place in the run file, before the program dies. */
static const char *where_of(const struct sim *s, int k)
{
  return params_where(s->params, "fields", k);
}

/* Status 2 if planes or a line of a form do not fit an oblique box: they would not meet their
   images. Planes across z always do. */
static void refuse_oblique(const struct sim *s, int k)
{
  const struct external_field *f = &s->field[k];
  const int axis = external_parameter(f->form, "axis");
  if (axis < 0 || !box_is_oblique(s->system->box)) return;
  if (external_parameter(f->form, "low") >= 0 && f->value[axis].value[0] == 2) return;
  die_all(STATUS_INPUT, "%s: the box is oblique: only planes across z are possible in it",
          where_of(s, k));
}

/* Status 2 if a type of the group has no Lennard-Jones with the type of a wall. */
static void refuse_wells(const struct sim *s, int k)
{
  const struct external_field *f = &s->field[k];
  const struct forcefield *ff = s->system->ff;
  for (int t = 0; f->well && t < ff->n_types; t++)
    if (f->group.type[t] && isnan(f->well[t].c6))
      die_all(STATUS_INPUT,
              "%s: the bead types %s and %s have no Lennard-Jones potential: give epsilon and "
              "sigma in place of type, or a group of other types",
              where_of(s, k), ff->type[t].name,
              ff->type[(int)f->value[external_parameter(f->form, "type")].value[0] - 1].name);
}

/* Status 2 if a bead is behind a wall of Lennard-Jones, where its energy is infinite. The one of
   the smallest id is named. Collective. */
static void refuse_behind(const struct sim *s, int k)
{
  const struct external_field *f = &s->field[k];
  const struct system *y = s->system;
  const struct bead_set set = bead_group_set(&f->group);
  const int linear = external_parameter(f->form, "linear");
  double value[EXTERNAL_PARAMETERS_MOST];
  int64_t behind = INT64_MAX;
  if (linear < 0 || ramp_least(&f->value[linear]) > 0) return;
  external_values_at(f->form, f->value, y->clock.time, value);
  for (int64_t i = 0; i < y->n && behind == INT64_MAX; i++) {
    struct external_bead b;
    const int type = y->beads.type[i];
    if (!bead_set_has(&set, type, y->first + i)) continue;
    if (f->well && f->well[type].c6 == 0 && f->well[type].c12 == 0) continue;
    for (int d = 0; d < 3; d++)
      b.place[d] = torus_fraction(y->beads.position[3 * i + d]);
    memcpy(b.box, y->box, sizeof b.box);
    const struct external_planes p = external_planes_of(value, &b);
    if ((p.low && !(p.above > 0)) || (p.high && !(p.below > 0))) behind = y->first + i;
  }
  ranks_min_int64(s->ranks, &behind, 1);
  if (behind < INT64_MAX)
    die_all(STATUS_INPUT,
            "%s: bead %lld is behind one of the planes, where its energy is infinite: move the "
            "planes, or give `linear`, the distance up to which the force stays that at this "
            "distance",
            where_of(s, k), (long long)behind);
}

/* Status 2 if at the start of a run a radius reaches beyond half the box, where nearest images
   end. */
static void refuse_wide(const struct sim *s, int k)
{
  const struct external_field *f = &s->field[k];
  const int radius = external_parameter(f->form, "radius"),
            axis = external_parameter(f->form, "axis");
  const double largest = radius < 0 ? 0 : ramp_largest(&f->value[radius]);
  for (int d = 0; d < 3 && s->system->clock.step == 0; d++) {
    const double half = box_height(s->system->box, d) / 2;
    if (largest <= half || (axis >= 0 && f->value[axis].value[0] == d)) continue;
    die_all(STATUS_INPUT,
            "%s: radius is %g nm, and half the %s across %c is %g nm: beads are those of the "
            "nearest images, so it is at most that",
            where_of(s, k), largest, box_width_name(s->system->box), axis_name(d), half);
  }
}

/* The edges that a map fills, as bits, by the word of its parameter. */
static int filled_edges(const struct external_field *f)
{
  static const int bits[] = {7, 3, 5, 6, 1, 2, 4, 0};
  return bits[(int)f->value[external_parameter(f->form, "fills")].value[0]];
}

/* Leaves types of beads out of the group that the field does not act on: without charge and dipole,
   or without Lennard-Jones with a wall. */
static void group_narrow(const struct sim *s, struct external_field *f)
{
  const int of = f->form == EXTERNAL_map ? external_parameter(f->form, "of") : -1;
  const int of_charges = f->form == EXTERNAL_electric || f->form == EXTERNAL_voltage ||
                         (of >= 0 && f->value[of].value[0] == 0);
  for (int t = 0; t < s->system->ff->n_types; t++) {
    const struct ff_type *type = &s->system->ff->type[t];
    if (of_charges && type->charge == 0 && type->dipole == 0) f->group.type[t] = 0;
    if (f->well && f->well[t].c6 == 0 && f->well[t].c12 == 0) f->group.type[t] = 0;
  }
}

void fields_open(struct sim *s)
{
  struct error_list m = {0};
  s->field = external_fields_read(s->params, s->system->ff, s->system->n_total, &s->n_fields, &m);
  error_list_check(&m);
  for (int k = 0; k < s->n_fields; k++)
    group_find(&s->field[k].group, s->ranks, s->system, s->lipids, &m);
  error_list_check(&m);
  for (int k = 0; k < s->n_fields; k++) {
    struct external_field *f = &s->field[k];
    refuse_oblique(s, k);
    refuse_wells(s, k);
    refuse_behind(s, k);
    refuse_wide(s, k);
    group_narrow(s, f);
    if (!f->file) continue;
    char *where = params_where(s->params, "fields", k);
    f->map = field_map_read(s->ranks, where, f->file, filled_edges(f), s->system->box);
    free(where);
  }
}

/* The potential difference of an electric field across the box, along each axis that has one. */
static void say_potential(const struct sim *s, int number)
{
  const struct ramp *e = s->field[number].value, *wave = e + 3; /* omega, phase, t0, sigma */
  const int waves = wave[0].value[0] != 0 || wave[3].value[0] > 0;
  const double part = waves ? 1 : portable_cos(wave[1].value[0] * (UNITS_PI / 180));
  char name[64];
  name_of(s, number, name);
  for (int d = 0; d < 3; d++) {
    const double most = part * fmax(fabs(ramp_largest(&e[d])), fabs(ramp_least(&e[d])));
    const double v = part * e[d].value[0], edge = s->system->box[d];
    if (most != 0 && (waves || e[d].n > 1))
      info("%s: up to %g V/nm along %c, which changes in time: a potential difference of up to %g "
           "V across the box",
           name, fabs(most), axis_name(d), fabs(most) * edge);
    else if (most != 0)
      info("%s: %g V/nm along %c, a potential difference of %g V across the box", name, v,
           axis_name(d), v * edge);
  }
}

void fields_say(const struct sim *s)
{
  char name[64];
  for (int k = 0; k < s->n_fields; k++) {
    const struct external_field *f = &s->field[k];
    const struct external_map *m = &f->map;
    if (f->form == EXTERNAL_electric) say_potential(s, k);
    if (f->file)
      info("%s: '%s', %d x %d x %d points", name_of(s, k, name), f->file, m->n[0], m->n[1],
           m->n[2]);
  }
}

int fields_move(const struct sim *s)
{
  int moves = 0;
  for (int k = 0; k < s->n_fields; k++)
    moves |= s->field[k].moves;
  return moves;
}

void fields_close(struct sim *s)
{
  external_fields_destroy(s->field, s->n_fields);
  free(s->field_watch);
}

/* Work */

static const char record_name[] = "external_work";

/* Sets word to the sum of the backends of all ranks and `before`. */
static void work_take(struct sim *s, const int64_t before[WORK_WORDS], int64_t word[WORK_WORDS])
{
  s->backend->ops->external_work(s->backend, s->system->clock.step, word);
  transport_check(&s->transport);
  ranks_sum_int64(s->ranks, word, WORK_WORDS);
  for (int k = 0; k < WORK_WORDS; k++)
    sum_add(&word[k], before[k]);
  sum_carry(word);
}

void fields_start(struct sim *s)
{
  const struct accumulated *was = run_record_force(&s->system->run, record_name);
  int64_t none[WORK_WORDS] = {0}, first[WORK_WORDS];
  if (!fields_move(s)) return;
  struct field_watch *w = s->field_watch = alloc_array(1, sizeof *w);
  for (int k = 0; was && was->n == WORK_WORDS && k < WORK_WORDS; k++)
    if (fabs(was->data[k]) < 0x1p53) w->now[k] = (int64_t)was->data[k];
  work_take(s, none, first);
  for (int k = 0; k < WORK_WORDS; k++)
    w->before[k] = w->now[k] - first[k];
}

void fields_fetch(struct sim *s)
{
  struct field_watch *w = s->field_watch;
  if (w && schedule_due(s->params, s->system->clock.step).report) work_take(s, w->before, w->now);
}

void fields_save(struct sim *s)
{
  struct field_watch *w = s->field_watch;
  struct accumulated a = {"", NULL, WORK_WORDS, NULL};
  if (!w) return;
  work_take(s, w->before, w->now);
  strcpy(a.name, record_name);
  a.options = text_copy("");
  a.data = alloc_array(WORK_WORDS, sizeof *a.data);
  for (int k = 0; k < WORK_WORDS; k++)
    a.data[k] = (double)w->now[k];
  run_record_set_force(&s->system->run, a);
}

double fields_work(const struct sim *s)
{
  const struct field_watch *w = s->field_watch;
  if (!w) return 0;
  return w->now[2] ? (double)NAN : sum_wide(w->now, WORK_BITS);
}
