#include "md/biases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/profile_body.h"
#include "base/axis.h"
#include "base/log.h"
#include "base/text.h"
#include "input/coordinate_lists.h"
#include "input/yaml_tree.h"
#include "molecules/group_find.h"
#include "pair/bias_body.h"

struct bias_watch {
  struct bias_state now;
  int64_t next_row;              /* step of the next row to fetch */
  int64_t first, n;              /* step of the first row that was fetched, and their number */
  double *row;                   /* [n] rows */
  double point[CENTRES_MOST][3]; /* of centres without beads, at the start, nm */
};

/* Groups and weights */

/* The first coordinate that has a centre, for messages. */
static const struct coordinate *owner_of(const struct bias_set *set, int centre)
{
  for (int k = 0; k < set->n_coordinates; k++)
    for (int j = 0; j < set->coordinate[k].n_centres; j++)
      if (set->coordinate[k].centre[j] == centre) return &set->coordinate[k];
  return set->coordinate;
}

static int same_group(const struct bead_group *a, const struct bead_group *b, int n_types)
{
  return !memcmp(a->type, b->type, (size_t)n_types) && a->n_ranges == b->n_ranges &&
         (a->n_ranges == 0 || !memcmp(a->range, b->range, (size_t)a->n_ranges * sizeof *a->range));
}

/* Sets integer weights and their sum from the number of beads of each type. */
static void weights_set(struct sim *s, struct biases *b, int k, int by_mass)
{
  const struct system *y = s->system;
  const struct forcefield *ff = y->ff;
  const struct bead_set set = bead_group_set(&b->group[k]);
  int64_t *count = alloc_array(ff->n_types, sizeof *count), most = INT64_C(1) << 31;
  int32_t *weight = b->weight + (int64_t)k * ff->n_types;
  double largest = 0;
  for (int64_t i = 0; i < y->n; i++)
    count[y->beads.type[i]] += bead_set_has(&set, y->beads.type[i], y->first + i);
  ranks_sum_int64(s->ranks, count, ff->n_types);
  for (int t = 0; t < ff->n_types; t++)
    b->set.beads[k] += count[t];
  if (b->set.beads[k] == 1) by_mass = 0; /* it may be a site without mass */
  for (int t = 0; t < ff->n_types; t++)
    if (count[t] > 0) largest = fmax(largest, by_mass ? ff->type[t].mass : 1);
  for (int t = 0; t < ff->n_types; t++) {
    if (count[t] > 0 && largest > 0)
      weight[t] = (int32_t)lround((by_mass ? ff->type[t].mass : 1) / largest * CENTRE_WEIGHT);
    b->set.total[k] += count[t] * weight[t];
  }
  free(count);
  const char *name = owner_of(&b->set, k)->name;
  if (b->set.total[k] == 0)
    die_all(STATUS_INPUT,
            "coordinates: the %lld beads of group %d of '%s' have no mass: give the coordinate "
            "weights: geometry",
            (long long)b->set.beads[k], k + 1, name);
  if (b->set.beads[k] > most)
    die_all(STATUS_INPUT, "coordinates: a group of '%s' has more than 2^31 beads", name);
}

/* Finds the groups of the rules. Those of the same beads and weights are one centre. point:
   receives the points, nm. */
static void centres_find(struct sim *s, struct biases *b, struct centre_rule *rule, int n,
                         double point[CENTRES_MOST][3])
{
  const int types = s->system->ff->n_types;
  int number[CENTRE_RULES_MOST] = {0};
  struct error_list m = {0};
  for (int k = 0; k < n; k++)
    if (rule[k].is_point)
      rule[k].group.type = alloc_array(types, 1); /* no bead */
    else
      group_find(&rule[k].group, s->ranks, s->system, s->lipids, &m);
  error_list_check(&m);
  for (int k = 0; k < n; k++) {
    int same = rule[k].is_point ? k : 0;
    while (same < k && !(!rule[same].is_point && rule[same].by_mass == rule[k].by_mass &&
                         same_group(&rule[same].group, &rule[k].group, types)))
      same++;
    number[k] = same < k ? number[same] : b->set.n_centres++;
    if (b->set.n_centres > CENTRES_MOST)
      die_all(STATUS_INPUT, "coordinates: line %d: the coordinates of a run have at most %d groups",
              rule[k].line, CENTRES_MOST);
    if (same == k) b->group[number[k]] = rule[k].group;
    memcpy(point[number[k]], rule[k].point, sizeof point[0]);
  }
  for (int k = 0; k < b->set.n_coordinates; k++)
    for (int j = 0; j < b->set.coordinate[k].n_centres; j++)
      b->set.coordinate[k].centre[j] = number[b->set.coordinate[k].centre[j]];
  b->weight = alloc_array((long long)b->set.n_centres * types, sizeof *b->weight);
  for (int k = 0, made = 0; k < n; k++) {
    if (rule[k].is_point)
      b->set.total[made++] = 1;
    else if (number[k] == made)
      weights_set(s, b, made++, rule[k].by_mass);
    else
      bead_group_free(&rule[k].group);
  }
}

/* Along which box vectors the place of each centre counts. The component along y of a vector is by
   times the second fraction, and cy times the third, and so on. */
static void reads_set(struct bias_set *set, const double box[BOX])
{
  const int oblique = box_is_oblique(box);
  for (int k = 0; k < set->n_coordinates; k++) {
    const struct coordinate *c = &set->coordinate[k];
    int reads = c->kind == COORDINATE_distance || c->kind == COORDINATE_cylinder ? 0 : 7;
    for (int d = 0; d < 3; d++)
      if (c->axis[d] != 0) reads |= oblique ? 7 & ~((1 << d) - 1) : 1 << d;
    for (int j = 0; j < c->n_centres; j++)
      set->reads[c->centre[j]] |= c->kind == COORDINATE_cylinder && j == 0 ? 7 : reads;
  }
}

/* Numbers the moments, and sets their scale: the sum of all beads of a group, at the far ends of a
   box twice as large, fits a word. */
static void moments_set(struct bias_set *set, const double box[BOX])
{
  double far = 2 * box_diagonal(box), beads = 1;
  int places = 61;
  for (int k = 0; k < set->n_coordinates; k++) {
    struct coordinate *c = &set->coordinate[k];
    c->n_moments = coordinate_kind_info[c->kind].moments;
    c->first_moment = set->n_moments;
    set->n_moments += c->n_moments;
    if (c->radius > 0) far = fmax(far, 2 * box_diagonal(box) / c->radius);
    if (c->n_moments) beads = fmax(beads, (double)set->beads[c->centre[c->n_centres - 1]]);
  }
  places -= (int)ceil(log2(beads)) + 2 * (int)ceil(log2(fmax(far, 2)));
  set->moment_scale = ldexp(1, places < 45 ? places : 45);
}

void biases_close(struct sim *s)
{
  biases_destroy(s->biases);
  if (s->bias_watch) free(s->bias_watch->row);
  free(s->bias_watch);
}

/* References at the start */

/* The sums of all groups by the positions that the system holds. */
static void sum_beads(const struct sim *s, const struct bias_state *now, int64_t *word)
{
  const struct biases *b = s->biases;
  const struct system *y = s->system;
  memset(word, 0, BIAS_WORDS_MOST * sizeof *word);
  for (int k = 0; k < b->set.n_centres; k++) {
    const struct bead_set set = bead_group_set(&b->group[k]);
    for (int64_t i = 0; i < y->n; i++)
      if (bead_set_has(&set, y->beads.type[i], y->first + i))
        centre_add(y->beads.position + 3 * i, now->place[k], b->set.reads[k],
                   b->weight[(int64_t)k * y->ff->n_types + y->beads.type[i]],
                   word + (ptrdiff_t)CENTRE_WORDS * k);
  }
  ranks_sum_int64(s->ranks, word, CENTRE_WORDS * b->set.n_centres);
}

/* Sets the reference of a group along an axis to the circular mean of its beads. */
static void reference_guess(const struct sim *s, int k, int axis, struct bias_state *now)
{
  const struct system *y = s->system;
  const struct bead_set set = bead_group_set(&s->biases->group[k]);
  const double scale = 0x1p30, turn = 2 * 3.14159265358979323846;
  int64_t word[2] = {0, 0};
  for (int64_t i = 0; i < y->n; i++) {
    if (!bead_set_has(&set, y->beads.type[i], y->first + i)) continue;
    const double angle = turn * torus_fraction(y->beads.position[3 * i + axis]);
    word[0] += llrint(scale * cos(angle));
    word[1] += llrint(scale * sin(angle));
  }
  ranks_sum_int64(s->ranks, word, 2);
  now->place[k][axis] = (uint64_t)centre_of_words(word) << 32;
}

/* The place of a point, which scales with the box. */
static void reference_point(const struct sim *s, int k, struct bias_state *now)
{
  double f[3];
  box_fraction(s->system->box, s->bias_watch->point[k], f);
  for (int d = 0; d < 3; d++)
    now->place[k][d] = (uint64_t)(int64_t)llrint((f[d] - floor(f[d])) * TORUS_EDGE) << 32;
}

static void refuse_wide(const struct sim *s, int k)
{
  const struct bias_set *set = &s->biases->set;
  die_all(STATUS_INPUT,
          "coordinates: a group of '%s' (%lld beads) is wider than half the box along an axis that "
          "the coordinate reads, so that its centre has no meaning: take fewer beads, or a "
          "coordinate along another axis (along)",
          owner_of(set, k)->name, (long long)set->beads[k]);
}

/* Sets the references to the centres of the groups, from the circular means on. */
static void references_find(const struct sim *s, struct bias_state *now)
{
  enum { ROUNDS = 16 };
  const struct bias_set *set = &s->biases->set;
  int64_t word[BIAS_WORDS_MOST];
  int moved = 1;
  for (int k = 0; k < set->n_centres; k++) {
    for (int d = 0; d < 3 && set->beads[k] > 0; d++)
      if (set->reads[k] >> d & 1) reference_guess(s, k, d, now);
    if (set->beads[k] == 0) reference_point(s, k, now);
  }
  for (int round = 0; moved && round < ROUNDS; round++) {
    moved = 0;
    sum_beads(s, now, word);
    for (int k = 0; k < set->n_centres; k++)
      for (int d = 0; d < 3; d++) {
        uint64_t *place = &now->place[k][d];
        const int64_t *sum = word + CENTRE_WORDS * k + 2 * d;
        const uint64_t next = centre_place(sum, set->total[k], *place);
        moved |= centre_reference(next) != centre_reference(*place);
        *place = next;
      }
  }
  sum_beads(s, now, word);
  for (int k = 0; k < set->n_centres; k++)
    if (word[CENTRE_WORDS * k + CENTRE_WORDS - 1]) refuse_wide(s, k);
}

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

static const struct accumulated *kept(const struct run_record *r, const char *name)
{
  for (int k = 0; k < r->n_forces; k++)
    if (!strcmp(r->forces[k].name, name)) return &r->forces[k];
  return NULL;
}

static int64_t kept_numbers(const struct bias_set *set)
{
  return 3LL * set->n_centres + 3LL * set->n_coordinates;
}

/* 1 if the record has the references of these coordinates, which it then sets. */
static int references_kept(const struct sim *s, struct bias_state *now)
{
  const struct bias_set *set = &s->biases->set;
  const struct accumulated *was = kept(&s->system->run, coordinates_name);
  if (!was || was->n != kept_numbers(set) || !yaml_mean_same(was->options, s->params->coordinates))
    return 0;
  const double *from = was->data;
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
  const struct accumulated *was = kept(&s->system->run, biases_name);
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
    references_find(s, now);
    followed_find(s, now);
  }
  for (int k = 0; k < set->n_biases; k++) {
    const double *was = bias_kept(s, set->bias[k].name);
    if (was) now->work[k] = was[0];
  }
}

/* The moments of all coordinates by the positions that the system holds. */
static void sum_moments(const struct sim *s, const struct bias_state *now, int64_t *word)
{
  const struct biases *b = s->biases;
  const struct system *y = s->system;
  for (int k = 0; k < b->set.n_coordinates; k++) {
    const struct coordinate *c = &b->set.coordinate[k];
    if (c->n_moments == 0) continue;
    const int centre = c->centre[c->n_centres - 1];
    const struct bead_set set = bead_group_set(&b->group[centre]);
    struct coordinate_work w;
    coordinate_work_set(&b->set, k, now, y->box, &w);
    for (int64_t i = 0; i < y->n; i++)
      if (bead_set_has(&set, y->beads.type[i], y->first + i))
        moments_add(&b->set, k, &w, y->beads.position + 3 * i,
                    b->weight[(int64_t)centre * y->ff->n_types + y->beads.type[i]],
                    word + c->first_moment);
  }
  if (b->set.n_moments > 0) ranks_sum_int64(s->ranks, word, b->set.n_moments);
}

/* Sets *now from the positions that the system holds and the references of *before. */
static void solve_on_host(const struct sim *s, const struct bias_state *before,
                          struct bias_state *now)
{
  const struct bias_set *set = &s->biases->set;
  int64_t word[BIAS_WORDS_MOST];
  sum_beads(s, before, word);
  for (int k = 0; k < 3 * set->n_centres; k++)
    now->place[k / 3][k % 3] = centre_place(word + CENTRE_WORDS * (k / 3) + 2 * (k % 3),
                                            set->total[k / 3], before->place[k / 3][k % 3]);
  sum_moments(s, now, word + bias_centre_words(set));
  bias_solve(set, word, s->system->box, before->step, before, now);
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
  solve_on_host(s, &before, &now);
  for (int k = 0; k < set->n_biases; k++) {
    struct bias *b = &set->bias[k];
    const double *was = bias_kept(s, b->name);
    if (!b->starts) continue;
    b->start = was ? was[1] : now.value[b->coordinate] / b->unit;
    for (int j = 0; j < BIAS_PARAMETERS_MOST; j++)
      if (b->starts >> j & 1) b->parameter[j].value[0] += b->start;
  }
}

void biases_open(struct sim *s, int64_t rows_every)
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
  reads_set(&b->set, y->box);
  moments_set(&b->set, y->box);
  b->set.origin_step = y->clock.origin_step;
  b->set.origin_time = y->clock.origin_time;
  b->set.dt = p->run_dt;
  b->set.rows_every = rows_every;
  b->set.adds_up = s->ranks->rank == 0;
  s->biases = b;
  starts_set(s);
}

void biases_start(struct sim *s)
{
  if (!s->biases) return;
  struct bias_watch *w = s->bias_watch;
  const int64_t every = s->biases->set.rows_every;
  state_begin(s, &w->now);
  s->backend->ops->bias->load(s->backend, &w->now);
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
  const int n = set->n_biases ? 2 : 1;
  struct accumulated *all = alloc_array(n, sizeof *all);
  all[0] = saved(coordinates_name, text_copy(s->params->coordinates), kept_numbers(set));
  if (n > 1) all[1] = saved(biases_name, names_text(set), (int64_t)KEPT_OF_BIAS * set->n_biases);
  double *to = all[0].data;
  for (int k = 0; k < set->n_centres; k++)
    for (int d = 0; d < 3; d++)
      *to++ = (double)centre_reference(now->place[k][d]);
  for (int k = 0; k < set->n_coordinates; k++)
    for (int d = 0; d < 3; d++)
      *to++ = (double)now->followed[k][d];
  for (int k = 0; k < set->n_biases; k++) {
    all[1].data[KEPT_OF_BIAS * k] = now->work[k];
    all[1].data[KEPT_OF_BIAS * k + 1] = set->bias[k].start;
  }
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
  references_find(s, &before);
  solve_on_host(s, &before, &s->bias_watch->now);
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
          (long long)now->wide_step, owner_of(set, (int)now->wide - 1)->name,
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
