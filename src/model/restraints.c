#include "model/restraints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Gives a restraint its force constants: those of its parameters whose names begin with k. */
static void set_strength(struct ff_bonded *type, double strength)
{
  const struct form_parameter *p = bonded_form_info[type->form].parameter;
  for (int k = 0; p[k].name; k++)
    if (p[k].name[0] == 'k' && type->value[k] != 0) type->value[k] = strength;
}

/* The types of restraints that act. number: receives their new indices, -1 of those that do not. */
static struct ff_section types_that_act(const struct ff_section *all, const double *strength,
                                        int *number)
{
  struct ff_section out = {0, alloc_array(all->n, sizeof *out.type)};
  for (int k = 0; k < all->n; k++) {
    const double now = strength[all->type[k].set];
    number[k] = now == 0 ? -1 : out.n;
    if (now == 0) continue;
    out.type[out.n] = all->type[k];
    if (!isnan(now)) set_strength(&out.type[out.n], now);
    out.n++;
  }
  return out;
}

/* The topology with the restraints that act, whose arrays but for those of the terms are those of
   t. Their order stays. */
static struct topology topology_that_acts(const struct topology *t, const int *number)
{
  int *start = alloc_array(t->n_envs + 1LL, sizeof *start), n = 0, held = 0;
  struct topology_term *term = alloc_array(t->term_start[t->n_envs], sizeof *term);
  for (int env = 0; env < t->n_envs; env++) {
    for (int k = t->term_start[env]; k < t->term_start[env + 1]; k++) {
      const int is_restraint = t->term[k].section == SECTION_restraint;
      if (is_restraint && number[t->term[k].type] < 0) continue;
      term[n] = t->term[k];
      if (is_restraint) term[n].type = number[t->term[k].type];
      held |= is_restraint;
      n++;
    }
    start[env + 1] = n;
  }
  const struct anchors none = {0, NULL, NULL};
  return (struct topology){.n_envs = t->n_envs,
                           .term_start = start,
                           .term = term,
                           .exclude_start = t->exclude_start,
                           .exclude = t->exclude,
                           .anchors = held ? t->anchors : none,
                           .cluster = t->cluster,
                           .place = t->place};
}

void restraints_open(struct restraints *r, const struct forcefield *ff, const struct topology *t,
                     const double *strength)
{
  *r = (struct restraints){.ff = ff, .topology = t};
  if (!strength || t->n_envs == 0) return;
  const struct ff_section *all = &ff->bonded[SECTION_restraint];
  int *number = alloc_array(all->n, sizeof *number);
  r->own_ff = *ff;
  r->own_ff.bonded[SECTION_restraint] = types_that_act(all, strength, number);
  r->own_topology = topology_that_acts(t, number);
  r->ff = &r->own_ff;
  r->topology = &r->own_topology;
  free(number);
}

void restraints_close(struct restraints *r)
{
  free(r->own_ff.bonded[SECTION_restraint].type);
  free(r->own_topology.term_start);
  free(r->own_topology.term);
}
