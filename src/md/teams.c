#include "md/teams.h"

#include <math.h>
#include <stdlib.h>

#include "backend/clusters.h"
#include "base/log.h"
#include "base/portable.h"
#include "input/run_lists.h"
#include "md/biases.h"
#include "md/constraints.h"
#include "md/enforce.h"
#include "md/groups.h"
#include "molecules/group_find.h"
#include "molecules/whole_block.h"

/* The bath and the momentum group of a bead. Status 2 unless it is in one group of baths, where
   there are some, and at most in one of momenta. */
static struct team read_team(const struct sim *s, const struct team_sets *sets, int type,
                             int64_t id)
{
  const char *name = s->system->ff->type[type].name;
  int bath = -1, momentum = -1;
  for (int k = 0; k < sets->n_rules; k++) {
    const struct team *says = &sets->rule[k].says;
    if (!bead_set_has(&sets->rule[k].set, type, id)) continue;
    if (says->bath >= 0 && bath >= 0)
      die(STATUS_INPUT,
          "thermostat.groups: bead %lld, of type %s, is in two groups, '%s' and '%s': a bead has "
          "one thermostat",
          (long long)id, name, s->bath[bath].name, s->bath[says->bath].name);
    if (says->momentum >= 0 && momentum >= 0)
      die(STATUS_INPUT,
          "run.momentum_groups: bead %lld, of type %s, is in two groups, number %d and number %d: "
          "its motion is removed with one",
          (long long)id, name, momentum + 1, says->momentum + 1);
    if (says->bath >= 0) bath = says->bath;
    if (says->momentum >= 0) momentum = says->momentum;
  }
  if (bath < 0 && s->bath[0].name)
    die(STATUS_INPUT,
        "thermostat.groups: bead %lld, of type %s, is in no group: add its type or its molecule "
        "type to one",
        (long long)id, name);
  return team_of(sets, type, id);
}

/* Sets the teams that the system has, in ascending order of baths, momentum groups and axes. */
static void find_teams(struct sim *s)
{
  enum { MOMENTA = MOMENTUM_GROUPS_MOST + 1, AXES = FROZEN_WHOLLY + 1 };
  int64_t has[HEAT_BATHS_MOST * MOMENTA * AXES] = {0};
  const int most = (int)(sizeof has / sizeof has[0]);
  const struct system *y = s->system;
  const struct team_sets sets = teams_sets(&s->teams);
  for (int64_t k = 0; k < y->n; k++) {
    const struct team of = read_team(s, &sets, y->beads.type[k], y->first + k);
    has[(of.bath * MOMENTA + of.momentum + 1) * AXES + of.frozen] = 1;
  }
  ranks_sum_int64(s->ranks, has, most);
  s->teams.n = 0;
  for (int k = 0; k < most; k++) {
    if (has[k] == 0) continue;
    if (s->teams.n == TEAMS_MOST)
      die_all(STATUS_INPUT,
              "thermostat.groups, run.momentum_groups and frozen together divide the beads into "
              "more than %d kinds that move each in its own way: make the groups alike",
              TEAMS_MOST);
    s->teams.team[s->teams.n++] =
        (struct team){k / AXES / MOMENTA, k / AXES % MOMENTA - 1, k % AXES};
  }
}

/* Sets degrees of freedom and masses of baths, momentum groups and all, from a census of each team.
   mass: of what moves in each team. */
static void count_teams(struct sim *s, double mass[TEAMS_MOST])
{
  struct teams *t = &s->teams;
  const struct system *y = s->system;
  const int types = y->ff->n_types, words = t->n * (types + 1);
  const struct team_sets sets = teams_sets(t);
  int64_t *count = alloc_array(words, sizeof *count), *taken = count + t->n * types;
  int64_t held[TEAMS_MOST] = {0}; /* degrees of freedom of constraints of coordinates, 2^-40 */
  for (int64_t k = 0; k < y->n; k++) {
    const int type = y->beads.type[k], of = team_number(team_byte(&sets, type, y->first + k));
    count[of * types + type]++;
    held[of] += llrint(constraints_freedom(s, type, y->first + k) * 0x1p40);
    if (!t->team[of].frozen) taken[of] += system_constraints_at(y, k);
  }
  ranks_sum_int64(s->ranks, count, words);
  ranks_sum_int64(s->ranks, held, t->n);
  s->dof = (struct dof){s->biases ? -s->biases->set.n_constraints : 0, 0};
  for (int k = 0; k < t->n; k++) {
    const struct team *of = &t->team[k];
    const struct census c = groups_census_of(y->ff, of->frozen, count + k * types, taken[k]);
    mass[k] = of->frozen == FROZEN_WHOLLY ? 0 : c.mass;
    s->bath[of->bath].mass += mass[k];
    s->bath[of->bath].dof += c.dof.translation + c.dof.rotation - (double)held[k] * 0x1p-40;
    s->dof.translation += c.dof.translation;
    s->dof.rotation += c.dof.rotation;
    for (int d = 0; d < 3 && of->momentum >= 0; d++)
      if (!(of->frozen >> d & 1)) t->mass[of->momentum][d] += c.mass;
  }
  if (t->momentum == 0 && !teams_frozen(t)) /* all beads: not added up in another order */
    t->mass[0][0] = t->mass[0][1] = t->mass[0][2] = s->mass;
  free(count);
}

/* What moves in a momentum group, amu. */
static double group_mass(const struct teams *t, int group, const double mass[TEAMS_MOST])
{
  double all = 0;
  if (!teams_frozen(t)) return t->mass[group][0];
  for (int k = 0; k < t->n; k++)
    if (t->team[k].momentum == group) all += mass[k];
  return all;
}

/* The degrees of freedom that the momentum of a group lacks. Of all beads: 3 if it is conserved.
   Langevin noise restores the motion that a removal has taken: a time t after it, the fraction 1 -
   exp(-2 t / tau) of its equilibrium energy. Groups of the run file lack one along each axis along
   which they move, as GROMACS counts them. */
static double lacking(const struct sim *s, int group, const double mass[TEAMS_MOST])
{
  const struct params *p = s->params;
  const struct teams *t = &s->teams;
  const int removed = p->run_momentum_every > 0, given = t->momentum < 0;
  double rate = 0; /* of the friction, 1/ps */
  int axes = 0;
  for (int d = 0; d < 3; d++)
    axes += t->mass[group][d] > 0;
  if (!given && s->momentum_is_constant) return axes;
  if (!removed || s->system->n_total < 2) return 0;
  if (p->thermostat_type != THERMOSTAT_LANGEVIN) return given ? axes : 0;
  const double all = group_mass(t, group, mass);
  for (int k = 0; k < t->n; k++)
    if (t->team[k].momentum == group)
      rate += (t->n > 1 ? mass[k] / all : 1) / s->bath[t->team[k].bath].tau;
  return axes * portable_exp(-2 * rate * (double)p->run_momentum_every * p->run_dt);
}

/* Subtracts these degrees of freedom from all, and from those of the baths in proportion to the
   masses, as equipartition has it. */
static void lose_momentum(struct sim *s, const double mass[TEAMS_MOST])
{
  const struct teams *t = &s->teams;
  for (int g = 0; g < t->n_groups; g++) {
    const double lost = lacking(s, g, mass), all = group_mass(t, g, mass);
    s->dof.translation -= lost;
    for (int k = 0; k < t->n && all > 0; k++)
      if (t->team[k].momentum == g) s->bath[t->team[k].bath].dof -= lost * (mass[k] / all);
  }
  if (!s->bath[0].name) s->bath[0].dof = s->dof.translation + s->dof.rotation;
  for (int k = 0; k < s->n_baths; k++)
    if (s->bath[k].name && !(s->bath[k].dof > 1e-6) && !teams_frozen(t))
      die_all(STATUS_INPUT,
              "thermostat.groups: the beads of group '%s' have no degrees of freedom: is it empty?",
              s->bath[k].name);
}

/* Status 2 if two beads of a cluster, which constraints and virtual sites connect, do not move
   alike. */
static void refuse_divided(const struct sim *s, const struct team *a, const struct team *b,
                           int64_t first, int64_t other)
{
  if (a->bath != b->bath)
    die(STATUS_INPUT,
        "thermostat.groups: beads %lld and %lld, of group '%s' and of group '%s', belong to "
        "one cluster, of constraints or virtual sites: put them into one group",
        (long long)first, (long long)other, s->bath[a->bath].name, s->bath[b->bath].name);
  if (a->momentum != b->momentum)
    die(STATUS_INPUT,
        "run.momentum_groups: beads %lld and %lld belong to one cluster, of constraints or virtual "
        "sites, and not to one group: put them into one",
        (long long)first, (long long)other);
  if (a->frozen != b->frozen || (a->frozen && a->frozen != FROZEN_WHOLLY))
    die(STATUS_INPUT,
        "frozen: beads %lld and %lld belong to one cluster, of constraints or virtual sites: "
        "freeze all beads of its molecule type along xyz, or none of them",
        (long long)first, (long long)other);
  if (a->frozen && s->params->barostat_type != BAROSTAT_NONE)
    die(STATUS_INPUT,
        "frozen: beads %lld and %lld are held together by constraints or virtual sites, which a "
        "barostat would deform: frozen beads keep their places in the box, which changes. Leave "
        "the barostat out, or freeze beads without constraints and virtual sites",
        (long long)first, (long long)other);
}

static void check_clusters(const struct sim *s)
{
  struct whole_block w;
  struct clusters *c = enforce_clusters_find(s->ranks, s->system, &w);
  if (!c) return;
  const struct team_sets sets = teams_sets(&s->teams);
  for (int k = 0; k < c->n; k++) {
    const int *bead = c->bead + c->row[k];
    const struct team one = team_of(&sets, w.beads.type[bead[0]], w.id[bead[0]]);
    for (int m = 1; m < c->row[k + 1] - c->row[k]; m++) {
      const struct team other = team_of(&sets, w.beads.type[bead[m]], w.id[bead[m]]);
      refuse_divided(s, &one, &other, w.id[bead[0]], w.id[bead[m]]);
    }
  }
  whole_block_close(&w);
  clusters_destroy(c);
}

/* Warns if thermostat.temperature is set but no group uses it: it is easily taken for the
   temperature of the run. */
static void warn_unused(const struct sim *s)
{
  const struct ramp *own = &s->params->thermostat_temperature;
  for (int k = 0; k < s->n_baths; k++)
    if (ramp_same(&s->bath[k].temperature, own)) return;
  warn(
      "thermostat.temperature, %g K, is the temperature of no group: all of thermostat.groups have "
      "their own, and it only sets that of barostat and observables. Change those of the groups, "
      "or leave them out of the groups",
      ramp_last(own));
}

/* Reads the rules of all lists, and finds their groups. */
static void read_rules(struct sim *s)
{
  const struct params *p = s->params;
  const struct system *y = s->system;
  struct teams *t = &s->teams;
  struct error_list m = {0};
  s->bath = heat_baths_read(p, y->ff, y->n_total, &s->n_baths);
  for (int k = 0; k < s->n_baths && s->bath[k].name; k++)
    t->rule[t->n_rules++] = (struct team_rule){s->bath[k].group, {k, -1, 0}};
  const int groups = momentum_rules_read(p, y->ff, y->n_total, t->rule + t->n_rules);
  t->momentum = groups > 0 ? -1 : 0;
  t->n_groups = groups > 0 ? groups : 1;
  t->n_rules += groups;
  t->n_rules +=
      frozen_rules_read(p, y->ff, y->n_total, t->rule + t->n_rules, TEAM_RULES_MOST - t->n_rules);
  if (t->momentum < 0 && p->run_momentum_every == 0)
    die_all(STATUS_INPUT, "run.momentum_groups: run.momentum_every is 0: no motion is removed. Set "
                          "it, or leave the groups out");
  for (int k = 0; k < t->n_rules; k++) {
    group_find(&t->rule[k].group, s->ranks, s->system, s->lipids, &m);
    if (t->rule[k].says.bath >= 0) s->bath[k].group = t->rule[k].group;
  }
  error_list_check(&m);
}

void teams_open(struct sim *s)
{
  double mass[TEAMS_MOST];
  read_rules(s);
  find_teams(s);
  count_teams(s, mass);
  /* Without noise, external fields, restraints, points of biases and frozen beads the momentum is
   * conserved. */
  s->momentum_is_constant = s->params->thermostat_type != THERMOSTAT_LANGEVIN && s->n_fields == 0 &&
                            !restraints_act(&s->restraints) && !teams_frozen(&s->teams) &&
                            !biases_have_points(s) && s->system->n_total > 1;
  if (s->bath[0].name) warn_unused(s);
  lose_momentum(s, mass);
  if (s->teams.n_rules > 0) check_clusters(s);
}

void teams_freeze(struct sim *s)
{
  struct system *y = s->system;
  const struct team_sets sets = teams_sets(&s->teams);
  for (int64_t k = 0; teams_frozen(&s->teams) && k < y->n; k++) {
    const int frozen = team_of(&sets, y->beads.type[k], y->first + k).frozen;
    for (int d = 0; d < 3; d++) {
      if (frozen >> d & 1) y->beads.momentum[3 * k + d] = 0;
      if (frozen == FROZEN_WHOLLY) y->beads.angular_momentum[3 * k + d] = 0;
    }
  }
}

void teams_close(struct sim *s)
{
  for (int k = 0; k < s->teams.n_rules; k++)
    if (s->teams.rule[k].says.bath < 0) bead_group_free(&s->teams.rule[k].group);
}

void teams_set_temperature(struct sim *s, double temperature)
{
  for (int k = 0; k < s->n_baths; k++)
    s->bath[k].temperature = ramp_constant(temperature);
}

double teams_kinetic(const struct sim *s, const struct thermo *o, int bath)
{
  double kinetic = 0;
  for (int k = 0; k < s->teams.n; k++)
    if (s->teams.team[k].bath == bath) kinetic += o->team[k].kinetic;
  return kinetic;
}
