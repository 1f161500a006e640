#include "md/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "input/run_lists.h"

struct census groups_census_of(const struct forcefield *ff, int frozen, const int64_t *count,
                               int64_t constraints)
{
  struct census c = {0};
  const int axes = 3 - (frozen & 1) - (frozen >> 1 & 1) - (frozen >> 2);
  for (int t = 0; t < ff->n_types; t++) {
    const struct dof each = system_dof_of_type(&ff->type[t]);
    c.present[t] = count[t] > 0;
    c.mass += ff->type[t].mass * (double)count[t];
    c.dof.translation += each.translation / 3 * axes * (double)count[t];
    if (axes > 0) c.dof.rotation += each.rotation * (double)count[t];
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
  const struct census c = groups_census_of(s->ff, 0, count, count[n]);
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

void groups_find(struct bead_group *g, const struct ranks *r, const struct system *s)
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

int64_t groups_count(const struct bead_group *g, const struct ranks *r, const struct system *s)
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
    groups_find(&s->field[k].group, s->ranks, s->system);
    if (groups_count(&s->field[k].group, s->ranks, s->system) == 0)
      die_all(STATUS_INPUT, "fields: the group of field %d (%s) has no bead of the system", k + 1,
              external_form_info[s->field[k].form].name);
  }
}

struct soft_core groups_soft_core(const struct sim *s)
{
  enum { COUPLED = 1, OTHER = 2 };
  const struct system *y = s->system;
  const struct forcefield *ff = y->ff;
  struct soft_core soft;
  soft_lambdas_read(s->params);
  char *in = soft_core_read(s->params, ff, &soft);
  if (isnan(soft.lambda) && !isnan(soft.charges))
    die_all(STATUS_INPUT,
            "soft_core.lambda_charges is %g, and soft_core.lambda is auto, which is no soft cores: "
            "give both, or make both auto",
            soft.charges);
  int64_t *use = alloc_array(2LL * ff->n_types, sizeof *use);
  for (int64_t k = 0; soft.on && k < y->n; k++) {
    const int molecule = y->beads.molecule_type[k];
    const int coupled = molecule >= 0 ? in[molecule] : !memchr(in, 0, (size_t)ff->n_molecules);
    use[2 * y->beads.type[k] + !coupled] = 1;
  }
  ranks_sum_int64(s->ranks, use, 2 * ff->n_types);
  for (int t = 0; t < ff->n_types; t++) {
    soft.coupled[t] = use[2 * t] > 0;
    if (use[2 * t] > 0 && use[2 * t + 1] > 0)
      die_all(STATUS_INPUT,
              "soft_core.molecules: the bead type %s is in coupled molecules and in others: give "
              "the beads of coupled molecules types of their own in the force field (`lamella "
              "import` does so), or couple all molecules that have it",
              ff->type[t].name);
  }
  free(use);
  free(in);
  return soft;
}
