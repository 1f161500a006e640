/* Which pair terms a force field needs, and in which passes they are computed. */
#include "pair/pair_pass.h"

#include <assert.h>
#include <string.h>

#include "base/log.h"
#include "pair/pair_terms.h"

static unsigned terms_of(const struct forcefield *ff)
{
  static const unsigned lj[] = {PAIR_BIT(lj_cut), PAIR_BIT(lj_force_shift),
                                PAIR_BIT(lj_stoddard_ford)};
  unsigned terms = lj[ff->truncation];
  int charged = 0, dipolar = 0;
  for (int t = 0; t < ff->n_types; t++) {
    if (ff->type[t].charge != 0) charged = 1;
    if (ff->type[t].dipole != 0) dipolar = 1;
  }
  if (ff->electrostatics == ELECTROSTATICS_NONE) return terms;
  if (charged) terms |= PAIR_BIT(qq);
  if (dipolar) terms |= PAIR_BIT(dd);
  if (charged && dipolar) terms |= PAIR_BIT(qd);
  return terms;
}

/* The smallest set with a kernel. */
static unsigned set_of(unsigned terms)
{
#define SET(bits)                                                                                  \
  if (!(terms & ~(bits))) return bits;
  PAIR_SETS(SET)
#undef SET
  return 0;
}

static void pass_add(struct pair_plan *p, unsigned terms, int list, double cutoff)
{
  struct pair_pass *pass = &p->pass[p->n_passes++];
  assert(p->n_passes <= PAIR_PASSES_MOST);
  pass->set = set_of(terms);
  pass->list = list;
  pass->cutoff = cutoff;
  if (!pass->set)
    die_all(STATUS_INPUT, "no force kernel has this combination of pair terms: add it to PAIR_SETS "
                          "(src/pair/pair_terms.h)");
  p->terms |= terms;
  if (pair_set_axes(pass->set) > p->n_axes) p->n_axes = pair_set_axes(pass->set);
}

struct pair_plan pair_plan_of(const struct forcefield *ff)
{
  struct pair_plan p;
  memset(&p, 0, sizeof p);
  p.n_axes = 1;
  pass_add(&p, terms_of(ff), LIST_ALL, ff->cutoff);
  return p;
}

int pair_oriented(const struct pair_plan *p, const struct forcefield *ff, int type)
{
  int read = (p->terms & PAIR_AXIS_TERMS) != 0;
  for (int k = 0; k < ff->n_angles; k++)
    read |= ff->angle[k].form == ANGLE_DIPOLE;
  return read && ff->type[type].dipole != 0;
}

int pair_is_smooth(const struct forcefield *ff)
{
  return !(pair_plan_of(ff).terms & ~(unsigned)PAIR_SMOOTH_TERMS);
}
