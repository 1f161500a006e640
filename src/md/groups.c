#include "md/groups.h"

#include <math.h>
#include <stdlib.h>

#include "backend/clusters.h"
#include "base/log.h"
#include "input/run_lists.h"
#include "md/enforce.h"
#include "molecules/whole_block.h"

/* The census of beads, by their number of each type and of constraints among them. */
static struct census census_of_counts(const struct forcefield *ff, const int64_t *count,
                                      int64_t constraints)
{
  struct census c = {0};
  for (int t = 0; t < ff->n_types; t++) {
    const struct dof each = system_dof_of_type(&ff->type[t]);
    c.present[t] = count[t] > 0;
    c.mass += ff->type[t].mass * (double)count[t];
    c.dof.translation += each.translation * (double)count[t];
    c.dof.rotation += each.rotation * (double)count[t];
  }
  c.dof.translation -= (double)constraints;
  return c;
}

struct census groups_census(const struct ranks *r, const struct system *s)
{
  const int n = s->ff->n_types;
  int64_t *count = alloc_array(n + 1, sizeof *count);
  system_count_types(s, count);
  count[n] = system_constraints(s);
  ranks_sum_int64(r, count, n + 1);
  const struct census c = census_of_counts(s->ff, count, count[n]);
  free(count);
  return c;
}

/* Groups */

/* 1 if bead k of this rank's block is of the group's molecule types and ids. */
static int has(const struct bead_group *g, const struct system *s, int64_t k)
{
  const int molecule_type = s->beads.molecule_type[k];
  const int64_t id = s->first + k;
  if (id < g->first || id > g->last) return 0;
  return !g->molecule || (molecule_type >= 0 && g->molecule[molecule_type]);
}

/* Merges adjacent ranges; returns how many are left. */
static int joined(int64_t (*range)[2], int64_t n)
{
  int left = 0;
  for (int64_t k = 0; k < n; k++) {
    if (left > 0 && range[left - 1][1] + 1 == range[k][0])
      range[left - 1][1] = range[k][1];
    else {
      range[left][0] = range[k][0];
      range[left++][1] = range[k][1];
    }
  }
  return left;
}

/* Sets the ranges of ids of a group: a single one if the group has all molecule types, else one for
   each unbroken sequence of ids of beads of its molecule types. */
static void find_group(struct bead_group *g, const struct ranks *r, const struct system *s)
{
  int64_t(*own)[2] = NULL, n = 0, bytes;
  for (int64_t k = 0; k < s->n; k++) {
    if (!has(g, s, k)) continue;
    const int64_t id = s->first + k;
    if (n > 0 && own[n - 1][1] + 1 == id) {
      own[n - 1][1] = id;
      continue;
    }
    own = extend_array(own, n, sizeof *own);
    own[n][0] = own[n][1] = id;
    n++;
  }
  g->range = ranks_allgather(r, own, n * (int64_t)sizeof *own, &bytes);
  g->n_ranges = joined(g->range, bytes / (int64_t)sizeof *g->range);
  free(own);
}

/* The number of beads of a group, whose ranges have been found. */
static int64_t count_group(const struct bead_group *g, const struct ranks *r,
                           const struct system *s)
{
  const struct bead_set set = bead_group_set(g);
  int64_t n = 0;
  for (int64_t k = 0; k < s->n; k++)
    n += bead_set_has(&set, s->beads.type[k], s->first + k);
  ranks_sum_int64(r, &n, 1);
  return n;
}

void groups_open_fields(struct sim *s)
{
  s->field = external_fields_read(s->params, s->system->ff, s->system->n_total, &s->n_fields);
  for (int k = 0; k < s->n_fields; k++) {
    find_group(&s->field[k].group, s->ranks, s->system);
    if (count_group(&s->field[k].group, s->ranks, s->system) == 0)
      die_all(STATUS_INPUT, "fields: the group of field %d (%s) has no bead of the system", k + 1,
              external_form_info[s->field[k].form].name);
  }
}

/* Heat baths */

/* The bath of a bead. Status 2 unless it is in one group. */
static int bath_of(const struct sim *s, const struct bead_set *set, int type, int64_t id)
{
  const char *name = s->system->ff->type[type].name;
  int found = -1;
  for (int k = 0; k < s->n_baths; k++) {
    if (!bead_set_has(&set[k], type, id)) continue;
    if (found >= 0)
      die(STATUS_INPUT,
          "thermostat.groups: bead %lld, of type %s, is in two groups, '%s' and '%s': a bead has "
          "one thermostat",
          (long long)id, name, s->bath[found].name, s->bath[k].name);
    found = k;
  }
  if (found < 0)
    die(STATUS_INPUT,
        "thermostat.groups: bead %lld, of type %s, is in no group: add its type or its molecule "
        "type to one",
        (long long)id, name);
  return found;
}

/* Counts, for each bath, the beads of each type in the block of this rank, and the degrees of
   freedom that constraints take. */
static void count_block(const struct sim *s, const struct bead_set *set, int64_t *beads,
                        int64_t *taken)
{
  const struct system *y = s->system;
  for (int64_t k = 0; k < y->n; k++) {
    const int type = y->beads.type[k], bath = bath_of(s, set, type, y->first + k);
    beads[bath * y->ff->n_types + type]++;
    taken[bath] += system_constraints_at(y, k);
  }
}

/* Langevin noise restores the centre-of-mass motion that run.momentum_every removes: a time t after
   a removal, the fraction 1 - exp(-2 t / tau) of its equilibrium energy. */
double groups_momentum_lacking(const struct sim *s)
{
  const struct params *p = s->params;
  double rate = 0; /* of the friction, 1/ps */
  if (s->momentum_is_constant) return 3;
  if (p->thermostat_type != THERMOSTAT_LANGEVIN || p->run_momentum_every == 0 ||
      s->system->n_total < 2)
    return 0;
  for (int k = 0; k < s->n_baths; k++)
    rate += (s->bath[k].name ? s->bath[k].mass / s->mass : 1) / s->bath[k].tau;
  return 3 * exp(-2 * rate * (double)p->run_momentum_every * p->run_dt);
}

/* Subtracts the degrees of freedom that the total momentum lacks from those of the baths, in
   proportion to their masses, as equipartition has it. */
static void lose_momentum(struct sim *s)
{
  const double lost = groups_momentum_lacking(s);
  for (int k = 0; k < s->n_baths; k++) {
    struct heat_bath *b = &s->bath[k];
    if (!b->name) {
      b->dof = s->dof.translation - lost + s->dof.rotation;
      continue;
    }
    b->dof -= lost * (b->mass / s->mass);
    if (!(b->dof > 1e-6))
      die_all(STATUS_INPUT,
              "thermostat.groups: the beads of group '%s' have no degrees of freedom: is it empty?",
              b->name);
  }
}

/* Sets the degrees of freedom of the baths, and their masses. */
static void count_dof(struct sim *s, const struct bead_set *set)
{
  const struct forcefield *ff = s->system->ff;
  const int types = ff->n_types, words = s->n_baths * (types + 1);
  int64_t *count = alloc_array(words, sizeof *count), *taken = count + s->n_baths * types;
  count_block(s, set, count, taken);
  ranks_sum_int64(s->ranks, count, words);
  for (int k = 0; k < s->n_baths; k++) {
    const struct census c = census_of_counts(ff, count + k * types, taken[k]);
    s->bath[k].mass = c.mass;
    s->bath[k].dof = c.dof.translation + c.dof.rotation;
  }
  free(count);
}

/* Status 2 if beads of a cluster, which constraints connect, are in different groups. */
static void refuse_divided(const struct sim *s, const struct bead_set *set,
                           const struct clusters *c, const struct whole_block *w)
{
  for (int k = 0; k < c->n; k++) {
    const int *bead = c->bead + c->row[k];
    const int one = bath_of(s, set, w->beads.type[bead[0]], w->id[bead[0]]);
    for (int m = 1; m < c->row[k + 1] - c->row[k]; m++) {
      const int other = bath_of(s, set, w->beads.type[bead[m]], w->id[bead[m]]);
      if (other != one)
        die(STATUS_INPUT,
            "thermostat.groups: beads %lld and %lld, of group '%s' and of group '%s', belong to "
            "one cluster, of constraints or virtual sites: put them into one group",
            (long long)w->id[bead[0]], (long long)w->id[bead[m]], s->bath[one].name,
            s->bath[other].name);
    }
  }
}

static void check_clusters(const struct sim *s, const struct bead_set *set)
{
  struct whole_block w;
  struct clusters *c = enforce_clusters_find(s->ranks, s->system, &w);
  if (!c) return;
  refuse_divided(s, set, c, &w);
  whole_block_close(&w);
  clusters_destroy(c);
}

/* Warns if thermostat.temperature is set but no group uses it: it is easily taken for the
   temperature of the run. */
static void warn_unused(const struct sim *s)
{
  const double own = s->params->thermostat_temperature;
  for (int k = 0; k < s->n_baths; k++)
    if (s->bath[k].temperature == own) return;
  warn(
      "thermostat.temperature, %g K, is the temperature of no group: all of thermostat.groups have "
      "their own, and it only sets that of barostat and observables. Change those of the groups, "
      "or leave them out of the groups",
      own);
}

void groups_open_baths(struct sim *s)
{
  struct bead_set set[HEAT_BATHS_MOST];
  s->bath = heat_baths_read(s->params, s->system->ff, s->system->n_total, &s->n_baths);
  const int groups = s->bath[0].name != NULL;
  for (int k = 0; groups && k < s->n_baths; k++) {
    find_group(&s->bath[k].group, s->ranks, s->system);
    set[k] = bead_group_set(&s->bath[k].group);
  }
  if (groups) warn_unused(s);
  if (groups) count_dof(s, set);
  lose_momentum(s);
  if (groups) check_clusters(s, set);
}
