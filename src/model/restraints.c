#include "model/restraints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int restraints_find_set(const struct forcefield *ff, const char *name)
{
  for (int k = 0; k < ff->n_sets; k++)
    if (!strcmp(ff->set[k], name)) return k;
  return -1;
}

void restraints_print_sets(const struct forcefield *ff, FILE *out)
{
  for (int k = 0; k < ff->n_sets; k++)
    fprintf(out, "%s%s", k ? ", " : ff->n_sets > 1 ? " in sets " : " in set ", ff->set[k]);
}

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

/* Leaves the restraints that act in a topology, and its anchors if there are any; the order of the
   terms stays. */
static void leave_out(struct topology *t, const int *number)
{
  int n = 0, held = 0;
  for (int env = 0, k = 0; env < t->n_envs; env++) {
    for (; k < t->term_start[env + 1]; k++) {
      struct topology_term now = t->term[k];
      const int is_restraint = now.section == SECTION_restraint;
      if (is_restraint) now.type = number[now.type];
      if (now.type < 0) continue;
      t->term[n++] = now;
      held |= is_restraint;
    }
    t->term_start[env + 1] = n;
  }
  if (!held) topology_forget_anchors(t);
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
  topology_copy(&r->own_topology, t);
  leave_out(&r->own_topology, number);
  r->ff = &r->own_ff;
  r->topology = &r->own_topology;
  free(number);
}

void restraints_close(struct restraints *r)
{
  free(r->own_ff.bonded[SECTION_restraint].type);
  topology_free(&r->own_topology);
}
