/* Which pair terms a force field needs, over which lists, and in which passes. */
#include "pair/pair_pass.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/portable.h"
#include "base/units.h"
#include "pair/pair_sets.h"

static const struct ff_pair *pair_of(const struct forcefield *ff, int i, int j)
{
  return &ff->pair[i * ff->n_types + j];
}

/* Pairs that are computed together: of one treatment, and of one form, Lennard-Jones or Gay-Berne.
   The sticky term is a group of its own, and so are tables, whose pairs are in the group of their
   treatment only for electrostatics. Pairs with soft cores are groups after these. */
enum {
  GROUP_STICKY = 2 * FF_TREATMENTS_MOST,
  GROUP_TABULATED,
  GROUP_SOFT,
  GROUPS_MOST = GROUP_SOFT + FF_TREATMENTS_MOST
};

struct planner {
  const struct forcefield *ff;
  struct pair_plan plan;
  int group[PAIR_PASSES_MOST]; /* of each pass */
};

static int group_of(const struct planner *p, int i, int j)
{
  const int treatment = pair_of(p->ff, i, j)->treatment;
  if (soft_core_couples(&p->plan.soft, i, j)) return GROUP_SOFT + treatment;
  return 2 * treatment + forcefield_is_gay_berne(p->ff, i, j);
}

static const struct ff_treatment *treatment_of(const struct forcefield *ff, int group)
{
  return &ff->treatment[group >= GROUP_SOFT ? group - GROUP_SOFT : group / 2];
}

/* What a pair of types adds to the terms of its treatment. */
static unsigned electrostatics_of(const struct ff_treatment *t, int gay_berne,
                                  const struct ff_type *a, const struct ff_type *b)
{
  const int charges = (a->charge != 0) + (b->charge != 0);
  const int dipoles = (a->dipole != 0) + (b->dipole != 0);
  unsigned terms = 0;
  if (t->electrostatics == ELECTROSTATICS_NONE) return 0;
  if (t->epsilon_r > 0) {
    const unsigned term =
        forcefield_is_modified(t) ? PAIR_BIT(qq_modified) : PAIR_BIT(qq_reaction_field);
    return charges == 2 ? term : 0;
  }
  if (t->electrostatics != ELECTROSTATICS_SHIFTED_FORCE)
    return dipoles == 2 ? PAIR_BIT(dd_switch) : 0;
  if (charges == 2) terms |= PAIR_BIT(qq);
  if (dipoles == 2) terms |= gay_berne ? PAIR_BIT(dd_shape) : PAIR_BIT(dd);
  if ((a->charge != 0 && b->dipole != 0) || (a->dipole != 0 && b->charge != 0))
    terms |= gay_berne ? PAIR_BIT(qd_shape) : PAIR_BIT(qd);
  return terms;
}

/* The Lennard-Jones term of a truncation has its word in its name; those of GROMACS have one
   together where they are modified. */
static int is_of_gromacs(const struct ff_treatment *t)
{
  return forcefield_switches_lj(t) || t->lj == LJ_CUT || t->lj == LJ_ENERGY_SHIFT;
}

static unsigned lj_of(const struct ff_treatment *t)
{
#define TERM_OF(constant, word) PAIR_BIT(lj_##word),
  static const unsigned term[] = {TRUNCATION_TERMS(TERM_OF)};
#undef TERM_OF
  return is_of_gromacs(t) && forcefield_is_modified(t) ? PAIR_BIT(lj_modified) : term[t->lj];
}

static int lj_is_smooth(const struct ff_treatment *t)
{
  return t->lj != LJ_CUT && t->lj != LJ_ENERGY_SHIFT;
}

/* What keeps a pair of types from having a soft core; NULL: nothing. */
static const char *not_soft(const struct forcefield *ff, int i, int j)
{
  const struct ff_treatment *t = &ff->treatment[pair_of(ff, i, j)->treatment];
  const struct ff_type *a = &ff->type[i], *b = &ff->type[j];
  const int charges = a->charge != 0 && b->charge != 0;
  if (forcefield_is_gay_berne(ff, i, j)) return "are Gay-Berne pairs";
  if (forcefield_is_sticky(ff, i, j)) return "have a sticky term";
  if (forcefield_table(ff, i, j)) return "have a table";
  if (a->dipole != 0 || b->dipole != 0) return "have a dipole";
  if (!is_of_gromacs(t)) return "have another truncation of Lennard-Jones";
  if (charges && t->electrostatics != ELECTROSTATICS_NONE && !(t->epsilon_r > 0))
    return "have other electrostatics";
  return NULL;
}

/* Status 2. */
static unsigned soft_terms_of(const struct forcefield *ff, int i, int j)
{
  const struct ff_treatment *t = &ff->treatment[pair_of(ff, i, j)->treatment];
  const int charges = ff->type[i].charge != 0 && ff->type[j].charge != 0 && t->epsilon_r > 0;
  const char *why = not_soft(ff, i, j);
  if (why)
    die_all(STATUS_INPUT,
            "soft_core: the types %s and %s %s; soft cores are for Lennard-Jones with truncation "
            "cut, energy_shift, force_switch or potential_switch, and charges with "
            "charge_reaction_field or charge_force_switch. Leave their molecules out of "
            "soft_core.molecules, and minimise.soft, which couples all, out of the run file",
            ff->type[i].name, ff->type[j].name, why);
  return PAIR_BIT(soft_lj) | (charges ? PAIR_BIT(soft_qq) : 0);
}

static unsigned terms_of(const struct forcefield *ff, int group, int i, int j)
{
  if (group == GROUP_STICKY) return PAIR_BIT(sticky);
  if (group == GROUP_TABULATED) return PAIR_BIT(tabulated);
  if (group >= GROUP_SOFT) return soft_terms_of(ff, i, j);
  const struct ff_treatment *t = treatment_of(ff, group);
  const unsigned form = group % 2 ? PAIR_BIT(gb) : lj_of(t);
  return (forcefield_table(ff, i, j) ? 0 : form) |
         electrostatics_of(t, group % 2, &ff->type[i], &ff->type[j]);
}

static int in_group(const struct planner *p, int group, int i, int j)
{
  const struct forcefield *ff = p->ff;
  if (group == GROUP_STICKY) return forcefield_is_sticky(ff, i, j);
  if (group == GROUP_TABULATED) return forcefield_table(ff, i, j) != NULL;
  return group_of(p, i, j) == group && terms_of(ff, group, i, j) != 0;
}

/* The smallest set with a kernel. */
static unsigned set_of(unsigned terms)
{
#define SET(name, bits)                                                                            \
  if (!(terms & ~(bits))) return bits;
  PAIR_SETS(SET)
#undef SET
  return 0;
}

/* Status 2. */
static void refuse_treatment(const char *name, const struct ff_treatment *t, unsigned terms)
{
  static const char *const lj[] = {TRUNCATION_CHOICES(CHOICE_WORD)};
  static const char *const electrostatics[] = {ELECTROSTATICS_CHOICES(CHOICE_WORD)};
#define SET_WORD(name, bits) " " #name
  die_all(STATUS_INPUT,
          "force field %s, line %d: no force kernel has %s%s with electrostatics %s (cutoff %g "
          "nm). There are kernels of these sets of terms, and of parts of them:" PAIR_SETS(
              SET_WORD) ". Others take a row in PAIR_SETS (src/pair/pair_sets.h)",
          name, t->line, terms & PAIR_BIT(gb) ? "Gay-Berne" : "Lennard-Jones ",
          terms & PAIR_BIT(gb) ? "" : lj[t->lj], electrostatics[t->electrostatics], t->cutoff);
#undef SET_WORD
}

/* The next pass, of a group. */
static struct pair_pass *pass_add(struct planner *p, int group)
{
  struct pair_plan *plan = &p->plan;
  if (plan->n_passes == PAIR_PASSES_MOST)
    die_all(
        STATUS_INPUT,
        "force field %s needs more than %d neighbour lists: one for each class of "
        "Lennard-Jones and of Gay-Berne pairs, one for sticky pairs and one for tables; use fewer "
        "classes",
        p->ff->name, PAIR_PASSES_MOST);
  p->group[plan->n_passes] = group;
  return &plan->pass[plan->n_passes++];
}

/* Where the pairs of two types of a group end, nm. */
static double end_of(const struct forcefield *ff, int group, int i, int j)
{
  const struct ff_sticky *s = &pair_of(ff, i, j)->sticky;
  if (group == GROUP_STICKY) return fmax(s->upper, s->upper_prime);
  if (group == GROUP_TABULATED) return tabulated_end(forcefield_table(ff, i, j));
  const struct ff_treatment *t = treatment_of(ff, group);
  const unsigned terms = terms_of(ff, group, i, j);
  const int lj_alone = terms == PAIR_BIT(lj_modified) || terms == PAIR_BIT(soft_lj);
  return lj_alone ? t->lj_end.cutoff : t->cutoff;
}

/* The pass of a group, if any types that are present make up pairs of it. */
static void group_add(struct planner *p, int group)
{
  const struct forcefield *ff = p->ff;
  const int one = group == GROUP_STICKY || group == GROUP_TABULATED;
  const struct ff_treatment *t = treatment_of(ff, one ? 0 : group);
  struct pair_plan *plan = &p->plan;
  unsigned terms = 0;
  double cutoff = 0, sigma = (double)INFINITY;
  for (int i = 0; i < ff->n_types; i++)
    for (int j = i; j < ff->n_types; j++) {
      if (!plan->present[i] || !plan->present[j] || !in_group(p, group, i, j)) continue;
      terms |= terms_of(ff, group, i, j);
      cutoff = fmax(cutoff, end_of(ff, group, i, j));
      if (pair_of(ff, i, j)->epsilon != 0) sigma = fmin(sigma, pair_of(ff, i, j)->sigma);
    }
  if (!terms) return;
  struct pair_pass *pass = pass_add(p, group);
  pass->set = set_of(terms);
  pass->treatment = *t;
  pass->cutoff = cutoff;
  pass->sigma = sigma;
  if (!pass->set) refuse_treatment(ff->name, t, terms);
  plan->terms |= terms;
  if (pair_set_records(pass->set) > plan->n_axes) plan->n_axes = pair_set_records(pass->set);
}

/* Bits of the passes over pairs of two types. */
static unsigned passes_of(const struct planner *p, int i, int j)
{
  unsigned passes = 0;
  for (int k = 0; k < p->plan.n_passes; k++)
    passes |= (unsigned)in_group(p, p->group[k], i, j) << k;
  return passes;
}

static int are_alike(const struct planner *p, int i, int j)
{
  for (int t = 0; t < p->ff->n_types; t++)
    if (p->plan.present[t] && passes_of(p, i, t) != passes_of(p, j, t)) return 0;
  return 1;
}

/* Divides the types into list classes. first[class]: one of its types. */
static void classes_find(struct planner *p, int first[PAIR_CLASSES_MOST])
{
  struct pair_plan *plan = &p->plan;
  for (int t = 0; t < p->ff->n_types; t++) {
    int k = 0;
    if (!plan->present[t]) continue;
    while (k < plan->n_classes && !are_alike(p, t, first[k]))
      k++;
    if (k == PAIR_CLASSES_MOST)
      die_all(STATUS_INPUT,
              "force field %s: its types form more than %d groups that differ in their neighbour "
              "lists; put the types into fewer classes of pairs",
              p->ff->name, PAIR_CLASSES_MOST);
    if (k == plan->n_classes) first[plan->n_classes++] = t;
    plan->class_of[t] = (unsigned char)k;
  }
}

static void partners_find(struct planner *p, const int first[PAIR_CLASSES_MOST])
{
  struct pair_plan *plan = &p->plan;
  const unsigned all = (1u << plan->n_classes) - 1;
  for (int k = 0; k < plan->n_passes; k++) {
    struct pair_pass *pass = &plan->pass[k];
    pass->all = 1;
    for (int i = 0; i < plan->n_classes; i++) {
      for (int j = 0; j < plan->n_classes; j++)
        pass->partners[i] |= (passes_of(p, first[i], first[j]) >> k & 1u) << j;
      pass->all &= pass->partners[i] == all;
    }
  }
}

static void passes_number(struct pair_plan *p)
{
  for (int k = 0; k < p->n_classes; k++) {
    p->first_pass[k] = -1;
    for (int n = 0; n < p->n_passes; n++) {
      if (!pair_class_listed(p, n, k)) continue;
      if (p->first_pass[k] < 0) p->first_pass[k] = n;
      p->last_pass[k] = n;
    }
  }
}

struct pair_plan pair_plan_of(const struct forcefield *ff, const char *present)
{
  static const struct soft_core none;
  return pair_plan_soft(ff, present, &none);
}

struct pair_plan pair_plan_soft(const struct forcefield *ff, const char *present,
                                const struct soft_core *soft)
{
  struct planner p;
  int first[PAIR_CLASSES_MOST];
  memset(&p, 0, sizeof p);
  p.ff = ff;
  p.plan.soft = *soft;
  for (int t = 0; t < ff->n_types; t++)
    p.plan.present[t] = !present || present[t];
  p.plan.n_axes = 1;
  for (int group = 0; group < GROUPS_MOST; group++)
    group_add(&p, group);
  classes_find(&p, first);
  partners_find(&p, first);
  passes_number(&p.plan);
  return p.plan;
}

double pair_smallest_cutoff(const struct pair_plan *p)
{
  double cutoff = p->pass[0].cutoff;
  for (int k = 1; k < p->n_passes; k++)
    cutoff = fmin(cutoff, p->pass[k].cutoff);
  return cutoff;
}

double pair_range(const struct pair_plan *p, const struct forcefield *ff, const struct topology *t)
{
  double cutoff = 0;
  if (topology_has_terms(t)) return ff->cutoff;
  for (int k = 0; k < p->n_passes; k++)
    cutoff = fmax(cutoff, p->pass[k].cutoff);
  return cutoff;
}

double pair_margin(const struct pair_plan *p, const struct forcefield *ff, const struct topology *t,
                   int pass)
{
  return pair_range(p, ff, t) - p->pass[pass].cutoff;
}

double pair_partners_within(double radius, double density)
{
  return density * 4 * UNITS_PI / 3 * portable_power(radius, 3);
}

double pair_partners(const struct pair_plan *p, double skin, double density)
{
  double n = 0;
  for (int k = 0; k < p->n_passes; k++)
    n += pair_partners_within(p->pass[k].cutoff + skin, density);
  return n;
}

int pair_list_part(const struct pair_plan *p, const struct forcefield *ff, int type)
{
  unsigned terms = 0;
  for (int k = 0; k < p->n_passes; k++)
    terms |= p->pass[k].set;
  return terms & PAIR_CHARGE_TERMS && ff->type[type].charge != 0;
}

int pair_class_listed(const struct pair_plan *p, int pass, int class_of_bead)
{
  return p->pass[pass].partners[class_of_bead] != 0;
}

static int has_sticky_pairs(const struct forcefield *ff, int type)
{
  for (int t = 0; t < ff->n_types; t++)
    if (forcefield_is_sticky(ff, type, t)) return 1;
  return 0;
}

int pair_oriented(const struct pair_plan *p, const struct forcefield *ff, int type)
{
  int read = (p->terms & PAIR_AXIS_TERMS) != 0;
  for (int s = 0; s < SECTIONS; s++)
    for (int k = 0; k < ff->bonded[s].n; k++)
      read |= forcefield_form(ff, s, k)->axes;
  return read &&
         (ff->type[type].dipole != 0 || ff->type[type].kappa > 0 || has_sticky_pairs(ff, type));
}

double pair_force_jump(const struct pair_plan *p, const struct forcefield *ff)
{
  double most = 0;
  for (int i = 0; i < ff->n_types; i++)
    for (int j = i; j < ff->n_types; j++) {
      const struct ff_pair *pair = pair_of(ff, i, j);
      const struct ff_treatment *t = &ff->treatment[pair->treatment];
      const struct tabulated *table = forcefield_table(ff, i, j);
      const double end = t->lj_end.cutoff, s6 = portable_power(pair->sigma / end, 6);
      if (!p->present[i] || !p->present[j]) continue;
      if (table) most = fmax(most, fabs(tabulated_last_force(table)));
      if (lj_is_smooth(t)) continue;
      most = fmax(most, fabs(24 * pair->epsilon / end * s6 * (2 * s6 - 1)));
    }
  return most;
}
