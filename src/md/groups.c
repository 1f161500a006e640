#include "md/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "input/group_use.h"
#include "input/run_lists.h"
#include "molecules/group_find.h"

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

/* The beads that frames hold, and how files name them. */
static void find_frames(struct sim *s)
{
  const struct params *p = s->params;
  const struct system *y = s->system;
  struct error_list m = {0};
  bead_group_read_text(p->output_frames_select, "output.frames_select",
                       WORDS_TYPES | WORDS_MOLECULES, p, y->ff, y->n_total, &s->frames, &m);
  error_list_check(&m);
  s->frames_text = group_words_text(p->output_frames_select, p, y->ff);
  if (s->frames_text[0]) group_find(&s->frames, s->ranks, s->system, s->lipids, &m);
  error_list_check(&m);
}

void groups_open(struct sim *s)
{
  struct error_list m = {0};
  s->group = named_groups_read(s->params, s->system->ff, s->system->n_total, &s->n_groups);
  for (int k = 0; k < s->n_groups; k++)
    group_find(&s->group[k].group, s->ranks, s->system, s->lipids, &m);
  error_list_check(&m);
  find_frames(s);
}

void groups_close(struct sim *s)
{
  bead_group_free(&s->frames);
  free(s->frames_text);
  named_groups_destroy(s->group, s->n_groups);
}

void groups_say(const struct sim *s)
{
  for (int k = 0; k < s->n_groups; k++)
    info("group %s: %lld beads", s->group[k].name, (long long)s->group[k].group.n);
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
