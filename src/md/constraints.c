#include "md/constraints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dynamics/hold_body.h"
#include "md/biases.h"
#include "md/centres.h"
#include "md/enforce.h"
#include "molecules/whole_block.h"
#include "pair/constraint_body.h"

static int has_constraints(const struct sim *s)
{
  return s->biases && s->biases->set.n_constraints > 0;
}

/* The groups of a bead that constraints hold, as bits. */
static uint32_t held_mask(const struct biases *b, int type, int64_t id)
{
  uint32_t mask = 0;
  for (int k = 0; k < b->set.n_centres; k++) {
    const struct bead_set set = bead_group_set(&b->group[k]);
    if (b->set.held >> k & 1 && bead_set_has(&set, type, id)) mask |= UINT32_C(1) << k;
  }
  return mask;
}

/* How the groups move */

/* Counts the beads of each type that are in both groups k and l: [k][l][types]. Caller frees. */
static int64_t *count_shared(const struct sim *s)
{
  const struct biases *b = s->biases;
  const struct system *y = s->system;
  const int n = b->set.n_centres, types = y->ff->n_types;
  int64_t *count = alloc_array((int64_t)n * n * types, sizeof *count);
  for (int64_t i = 0; i < y->n; i++) {
    const int type = y->beads.type[i];
    const uint32_t mask = held_mask(b, type, y->first + i);
    for (int k = 0; k < n && mask; k++)
      for (int l = 0; l < n && mask >> k & 1; l++)
        count[((int64_t)k * n + l) * types + type] += mask >> l & 1;
  }
  ranks_sum_int64(s->ranks, count, n * n * types);
  return count;
}

/* By mass, all beads of a group move alike, virtual sites too. Points do not move. */
static void ease_set(const struct sim *s, const int64_t *count)
{
  const struct forcefield *ff = s->system->ff;
  struct biases *b = s->biases;
  const int n = b->set.n_centres, types = ff->n_types;
  b->ease = alloc_array((int64_t)n * types, sizeof *b->ease);
  for (int k = 0; k < n; k++) {
    const int64_t *own = count + ((int64_t)k * n + k) * types;
    double mass = 0;
    for (int t = 0; t < types; t++)
      mass += (double)own[t] * ff->type[t].mass;
    for (int t = 0; t < types && b->set.held >> k & 1; t++) {
      const double share = (double)b->weight[k * types + t] / (double)b->set.total[k];
      const double of = b->by_mass[k] ? mass : ff->type[t].mass;
      b->ease[k * types + t] = of > 0 ? (b->by_mass[k] ? 1 : share) / of : 0;
    }
  }
}

/* How far a push of 1 amu nm on group l moves the centre of group k, nm. */
static double mobility(const struct sim *s, const int64_t *count, int k, int l)
{
  const struct biases *b = s->biases;
  const int types = s->system->ff->n_types;
  double sum = 0;
  for (int t = 0; t < types; t++)
    sum += (double)count[((int64_t)k * b->set.n_centres + l) * types + t] *
           ((double)b->weight[k * types + t] / (double)b->set.total[k]) * b->ease[l * types + t];
  return sum;
}

void constraints_open(struct sim *s)
{
  if (!has_constraints(s)) return;
  struct bias_set *set = &s->biases->set;
  for (int a = 0; a < set->n_constraints; a++)
    for (int j = 0; j < 2; j++)
      set->held |= UINT32_C(1) << constraint_coordinate(set, a)->centre[j];
  int64_t *count = count_shared(s);
  ease_set(s, count);
  for (int a = 0; a < set->n_constraints; a++)
    for (int b = 0; b < set->n_constraints; b++)
      for (int j = 0; j < 4; j++)
        set->coupling[a][b] += (j == 1 || j == 2 ? -1 : 1) *
                               mobility(s, count, constraint_coordinate(set, a)->centre[j / 2],
                                        constraint_coordinate(set, b)->centre[j % 2]);
  free(count);
  for (int a = 0; a < set->n_constraints; a++)
    if (!(set->coupling[a][a] > 0))
      die_all(STATUS_INPUT, "biases: the constraint '%s' is of the distance of a group from itself",
              constraint_bias(set, a)->name);
}

double constraints_freedom(const struct sim *s, int type, int64_t id)
{
  const struct forcefield *ff = s->system->ff;
  const struct biases *b = s->biases;
  double taken = 0;
  if (!has_constraints(s)) return 0;
  const uint32_t mask = held_mask(b, type, id);
  for (int a = 0; a < b->set.n_constraints && mask; a++) {
    const int *centre = constraint_coordinate(&b->set, a)->centre;
    double ease = 0;
    for (int j = 0; j < 2; j++)
      if (mask >> centre[j] & 1) ease += (j ? -1 : 1) * b->ease[centre[j] * ff->n_types + type];
    taken += ff->type[type].mass * ease * ease / b->set.coupling[a][a];
  }
  return taken;
}

/* Checks */

/* The first constraint of a group, for messages. */
static const char *name_of(const struct bias_set *set, uint32_t mask)
{
  for (int a = 0; a < set->n_constraints; a++)
    for (int j = 0; j < 2; j++)
      if (mask >> constraint_coordinate(set, a)->centre[j] & 1)
        return constraint_bias(set, a)->name;
  return "";
}

static void refuse_frozen(const struct sim *s)
{
  const struct system *y = s->system;
  const struct team_sets sets = teams_sets(&s->teams);
  for (int64_t i = 0; i < y->n; i++) {
    const int64_t id = y->first + i;
    const uint32_t mask = held_mask(s->biases, y->beads.type[i], id);
    if (mask && team_of(&sets, y->beads.type[i], id).frozen)
      die(STATUS_INPUT,
          "biases: bead %lld is frozen and in a group that the constraint '%s' moves: leave it out "
          "of one of them",
          (long long)id, name_of(&s->biases->set, mask));
  }
}

/* A group moves as a whole by weight of mass only. */
static void refuse_divided(const struct biases *b, int64_t first, int64_t other, uint32_t one,
                           uint32_t two)
{
  if (one != two)
    die(STATUS_INPUT,
        "biases: beads %lld and %lld are held together by constraints or virtual sites, and only "
        "one of them is in a group of the constraint '%s': take both into the group, or none",
        (long long)first, (long long)other, name_of(&b->set, one ^ two));
  for (int k = 0; k < b->set.n_centres; k++)
    if (one >> k & 1 && !b->by_mass[k])
      die(STATUS_INPUT,
          "biases: beads %lld and %lld are held together by constraints or virtual sites, and the "
          "constraint '%s' would move them by weights: geometry, each as its mass allows. Give its "
          "coordinate weights: mass",
          (long long)first, (long long)other, name_of(&b->set, UINT32_C(1) << k));
}

static void check_clusters(const struct sim *s)
{
  struct whole_block w;
  struct clusters *c = enforce_clusters_find(s->ranks, s->system, &w);
  if (!c) return;
  for (int k = 0; k < c->n; k++) {
    const int *bead = c->bead + c->row[k];
    const uint32_t one = held_mask(s->biases, w.beads.type[bead[0]], w.id[bead[0]]);
    for (int m = 1; m < c->row[k + 1] - c->row[k]; m++)
      refuse_divided(s->biases, w.id[bead[0]], w.id[bead[m]], one,
                     held_mask(s->biases, w.beads.type[bead[m]], w.id[bead[m]]));
  }
  whole_block_close(&w);
  clusters_destroy(c);
}

void constraints_check(const struct sim *s)
{
  if (!has_constraints(s)) return;
  if (teams_frozen(&s->teams)) refuse_frozen(s);
  check_clusters(s);
}

/* The start */

/* The sums of velocities of the groups; those of accelerations are 0. */
static void sum_velocities(const struct sim *s, int64_t word[MOTION_WORDS * CENTRES_MOST])
{
  const struct system *y = s->system;
  const struct biases *b = s->biases;
  const double none[3] = {0, 0, 0};
  memset(word, 0, MOTION_WORDS * CENTRES_MOST * sizeof *word);
  for (int64_t i = 0; i < y->n; i++) {
    const int type = y->beads.type[i];
    const uint32_t mask = held_mask(b, type, y->first + i);
    const struct body_type t = body_type_of(&y->ff->type[type]);
    for (int k = 0; k < b->set.n_centres && mask; k++)
      if (mask >> k & 1)
        motion_add(y->beads.momentum + 3 * i, none, t.inverse_mass,
                   b->weight[k * y->ff->n_types + type], word + (ptrdiff_t)MOTION_WORDS * k);
  }
  ranks_sum_int64(s->ranks, word, MOTION_WORDS * b->set.n_centres);
}

/* Moves the beads of the groups by now->push, and changes their momenta by now->kick. */
static void move_groups(const struct sim *s, const struct bias_state *now)
{
  const struct system *y = s->system;
  for (int64_t i = 0; i < y->n; i++) {
    const int type = y->beads.type[i];
    const uint32_t mask = held_mask(s->biases, type, y->first + i);
    if (!mask) continue;
    struct body body = body_load(&y->beads, NULL, NULL, i);
    hold_shift(&body, y->ff->type[type].mass, now, s->biases->ease, y->ff->n_types, mask, type,
               y->box);
    body_store(&body, &y->beads, i);
  }
}

/* The largest of what is missing. */
static double worst_lack(const struct constraint_work *w)
{
  double worst = 0;
  for (int a = 0; a < w->n; a++)
    worst = fmax(worst, fabs(w->lack[a]));
  return worst;
}

static void refuse_far(const struct sim *s, int a, const struct constraint_work *w)
{
  const struct bias_set *set = &s->biases->set;
  const double at = constraint_place(set, a, s->system->clock.step);
  die_all(
      STATUS_INPUT,
      "biases: the constraint '%s' holds '%s' at %.9g nm, and it is %.9g nm in the state: a run "
      "moves the groups by at most %g nm at its start. Give it at: %.9g, or first bring them "
      "there in a run with an umbrella of the same coordinate",
      constraint_bias(set, a)->name, constraint_coordinate(set, a)->name, at, at - w->lack[a],
      CONSTRAINT_NEAR, at - w->lack[a]);
}

/* Moves the groups to where the constraints hold them. */
static void start_places(const struct sim *s, struct bias_state *now)
{
  const struct bias_set *set = &s->biases->set;
  double along[CONSTRAINTS_MOST][3];
  struct constraint_work w;
  constraint_begin(set, &w);
  for (int a = 0; a < w.n; a++) {
    constraint_vector(set, a, now, s->system->box, now, w.vector[a]);
    (void)distance_value(constraint_coordinate(set, a), w.vector[a], w.slope[a]);
    w.x[a] = 0;
  }
  memcpy(along, w.slope, sizeof along);
  constraint_matrix(set, (const double(*)[3])along, &w);
  constraint_solve(&w);
  if (!(w.pivot > CONSTRAINT_ALIKE))
    die_all(STATUS_INPUT, "biases: the constraints depend on each other, as when two hold the same "
                          "groups along one direction: leave one out");
  const int fails =
      constraint_shake(set, (const double(*)[3])along, CONSTRAINT_NEAR, s->system->clock.step, &w);
  if (fails >= 0) refuse_far(s, fails, &w);
  if (worst_lack(&w) <= CONSTRAINT_HELD) return;
  constraint_nothing(set, now);
  constraint_act(set, &w, (const double(*)[3])along, 1, now->push);
  move_groups(s, now);
  info("constraints of coordinates: the groups were moved by up to %.2g nm to where they are held",
       worst_lack(&w));
}

void constraints_start(struct sim *s)
{
  int64_t word[MOTION_WORDS * CENTRES_MOST];
  struct constraint_work w;
  if (!has_constraints(s)) return;
  struct bias_state before = *biases_state(s), now = before;
  centres_solve(s, &before, &now);
  start_places(s, &now);
  centres_solve(s, &before, &now);
  sum_velocities(s, word);
  constraint_rattle(&s->biases->set, word, s->system->box, &now, &w);
  if (worst_lack(&w) > CONSTRAINT_STILL) move_groups(s, &now);
}

/* Steps */

void constraints_hold(struct sim *s, const struct integrate_params *m)
{
  if (!has_constraints(s)) return;
  const struct bias_ops *ops = s->backend->ops->bias;
  int64_t *word = ops->sum(s->backend, m->step + 1);
  transport_sum(&s->transport, word, CENTRE_WORDS * s->biases->set.n_centres);
  ops->hold(s->backend, m);
}

void constraints_balance(struct sim *s, int moves)
{
  if (!has_constraints(s)) return;
  const struct bias_ops *ops = s->backend->ops->bias;
  int64_t *word = ops->sum_motion(s->backend, s->system->clock.step);
  transport_sum(&s->transport, word, MOTION_WORDS * s->biases->set.n_centres);
  ops->settle(s->backend, s->system->clock.step, moves);
}
