/* Parsing of the pair interactions of a force field: cutoff treatments, classes, the pair table
   with its mixing rule, sticky pairs, Gay-Berne exponents. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/choices.h"
#include "base/memory.h"
#include "input/forcefield_parser.h"

#define EPSILON_MOST 1e6 /* kJ/mol */

#define MIXING_CHOICES(C)                                                                          \
  C(MIXING_NONE, none)                                                                             \
  C(MIXING_LORENTZ_BERTHELOT, lorentz_berthelot)                                                   \
  C(MIXING_GEOMETRIC, geometric)
enum mixing { MIXING_CHOICES(CHOICE_CONSTANT) };

static struct ff_pair *pair_between(struct forcefield *ff, int i, int j)
{
  return &ff->pair[i * ff->n_types + j];
}

/* The pair of a row of the table. */
static struct ff_pair parse_pair(struct yaml_tree *yaml, struct forcefield *ff, int value, int i,
                                 int j)
{
  struct ff_pair pair = {0};
  const int name = yaml_get(yaml, value, "tabulated");
  if (!name) {
    /* The bead that a virtual site is built on keeps others away. */
    const int may_repel = i != j && (ff->type[i].mass == 0 || ff->type[j].mass == 0);
    yaml_expect_map(yaml, value, "epsilon|sigma");
    pair.epsilon = yaml_real(yaml, yaml_need(yaml, value, "epsilon"), 0,
                             may_repel ? -EPSILON_MOST : 0, EPSILON_MOST);
    pair.sigma = yaml_real(yaml, yaml_need(yaml, value, "sigma"), 1, 1e-4, 100);
    return pair;
  }
  yaml_expect_map(yaml, value, "tabulated");
  pair.tabulated = forcefield_parse_tabulated(yaml, name);
  if (pair.tabulated) {
    const struct tabulated *t = &ff->table[pair.tabulated - 1];
    pair.sigma = t->contact;
    forcefield_check_pair_table(yaml, ff, value, t);
  }
  if (forcefield_is_gay_berne(ff, i, j))
    yaml_add_error(yaml, value, "a pair with an ellipsoid has no table");
  return pair;
}

static void parse_row(struct yaml_tree *yaml, struct forcefield *ff, int row, char *given)
{
  if (!yaml_expect_list(yaml, row, 3, 3)) return;
  int i = forcefield_parse_type(yaml, ff, yaml_item(yaml, row, 0)),
      j = forcefield_parse_type(yaml, ff, yaml_item(yaml, row, 1));
  int value = yaml_item(yaml, row, 2);
  if (i < 0 || j < 0 || !yaml_expect_map(yaml, value, NULL)) return;
  const struct ff_pair pair = parse_pair(yaml, ff, value, i, j);
  const double length = fmax(ff->type[i].kappa, 1) * pair.sigma;
  if (pair.epsilon != 0 && pair.sigma > ff->cutoff)
    yaml_add_error(yaml, row, "sigma is %g nm, more than the cutoff of %g nm", pair.sigma,
                   ff->cutoff);
  else if (i == j && ff->type[i].kappa > 0 && length > ff->cutoff)
    yaml_add_error(yaml, row,
                   "an ellipsoid of type %s is %g nm long, more than the cutoff of %g nm",
                   ff->type[i].name, length, ff->cutoff);
  if (given[i * ff->n_types + j])
    yaml_add_error(yaml, row, "the pair %s %s stands here for the second time", ff->type[i].name,
                   ff->type[j].name);
  given[i * ff->n_types + j] = given[j * ff->n_types + i] = 1;
  *pair_between(ff, i, j) = *pair_between(ff, j, i) = pair;
}

/* Contact distances of ellipsoids mix as those of Cleaver et al. */
static struct ff_pair mixed(const struct forcefield *ff, enum mixing mixing, int i, int j)
{
  const int n = ff->n_types;
  const struct ff_pair *a = &ff->pair[i * (n + 1)], *b = &ff->pair[j * (n + 1)];
  struct ff_pair m = {0};
  m.epsilon = sqrt(a->epsilon * b->epsilon);
  m.sigma = 0.5 * (a->sigma + b->sigma);
  if (mixing == MIXING_GEOMETRIC) m.sigma = sqrt(a->sigma * b->sigma);
  if (forcefield_is_gay_berne(ff, i, j))
    m.sigma = sqrt(0.5 * (a->sigma * a->sigma + b->sigma * b->sigma));
  return m;
}

/* Fills in missing pairs from those of like types, by the mixing rule. */
static void mix_pairs(struct yaml_tree *yaml, struct forcefield *ff, int table, enum mixing mixing,
                      const char *given)
{
  int n = ff->n_types;
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) {
      if (given[i * n + j]) continue;
      const int tables = pair_between(ff, i, i)->tabulated || pair_between(ff, j, j)->tabulated;
      if (mixing == MIXING_NONE || i == j || tables)
        yaml_add_error(yaml, table, "the pair [%s, %s] is missing%s", ff->type[i].name,
                       ff->type[j].name, tables ? "; tables do not mix" : "");
      *pair_between(ff, i, j) = *pair_between(ff, j, i) = mixed(ff, mixing, i, j);
    }
}

static void parse_table(struct yaml_tree *yaml, struct forcefield *ff, int map, enum mixing mixing)
{
  int table = yaml_need(yaml, map, "table");
  const int rows = yaml_expect_list(yaml, table, 1, ff->n_types * ff->n_types);
  if (rows == 0) return;
  char *given = alloc_array((long long)ff->n_types * ff->n_types, 1);
  for (int k = 0; k < rows; k++)
    parse_row(yaml, ff, yaml_item(yaml, table, k), given);
  mix_pairs(yaml, ff, table, mixing, given);
  free(given);
}

static void check_shapes(struct yaml_tree *yaml, struct forcefield *ff, int map, int gay_berne)
{
  int shapes = 0;
  for (int t = 0; t < ff->n_types; t++) {
    if (ff->type[t].kappa > 0 && !shapes++ && !gay_berne)
      yaml_add_error(yaml, map, "'gay_berne' is missing, but type %s has a shape",
                     ff->type[t].name);
  }
  if (gay_berne && !shapes)
    yaml_add_error(yaml, gay_berne,
                   "no type has a shape: give one of them 'shape: {kappa: ..., kappa_prime: ...}'");
}

static void parse_gay_berne(struct yaml_tree *yaml, struct forcefield *ff, int map)
{
  int node = yaml_get(yaml, map, "gay_berne");
  if (node && yaml_expect_map(yaml, node, "mu|nu")) {
    ff->gb_mu = (int)yaml_int(yaml, yaml_need(yaml, node, "mu"), 1, 1, 4);
    ff->gb_nu = (int)yaml_int(yaml, yaml_need(yaml, node, "nu"), 1, 1, 4);
  }
  check_shapes(yaml, ff, map, node);
}

/* Where an interaction ends, of its mapping. may: it can end before the cutoff of its treatment;
   switches: its switching begins here. */
static void parse_end(struct yaml_tree *yaml, int map, const struct ff_treatment *t,
                      struct ff_end *end, int may, int switches)
{
  const int cutoff = yaml_get(yaml, map, "cutoff"), from = yaml_get(yaml, map, "switch_from");
  if (cutoff && !may)
    yaml_add_error(yaml, cutoff,
                   "a cutoff of its own is for Lennard-Jones with cut, energy_shift, force_switch "
                   "or potential_switch, and for charge_reaction_field and charge_force_switch");
  if (from && !switches)
    yaml_add_error(yaml, from,
                   "'switch_from' here is for force_switch, potential_switch and "
                   "charge_force_switch; others read that of the pairs or of their class");
  end->cutoff = yaml_real(yaml, cutoff, may ? end->cutoff : t->cutoff, 1e-3, t->cutoff);
  end->switch_from = yaml_real(yaml, from, switches ? end->switch_from : 0, 0, t->cutoff);
}

/* The permittivities stand where they are read and nowhere else. */
static void parse_electrostatics(struct yaml_tree *yaml, int map, struct ff_treatment *t)
{
  if (!yaml_expect_map(yaml, map, "truncation|epsilon_r|epsilon_rf|switch_from|cutoff")) return;
  t->electrostatics = (enum electrostatics)yaml_choice(yaml, yaml_need(yaml, map, "truncation"), 0,
                                                       CHOICES_TEXT(ELECTROSTATICS_CHOICES));
  const int within = yaml_get(yaml, map, "epsilon_r"), beyond = yaml_get(yaml, map, "epsilon_rf");
  const int field = t->electrostatics == ELECTROSTATICS_CHARGE_REACTION_FIELD,
            switches = t->electrostatics == ELECTROSTATICS_CHARGE_FORCE_SWITCH;
  t->epsilon_r = t->epsilon_rf = 0;
  parse_end(yaml, map, t, &t->charge_end, field || switches, switches);
  if (field || switches)
    t->epsilon_r = yaml_real(yaml, yaml_need(yaml, map, "epsilon_r"), 1, 1e-3, 1e9);
  else if (within)
    yaml_add_error(yaml, within,
                   "epsilon_r is for charge_reaction_field and charge_force_switch alone");
  if (field)
    t->epsilon_rf = yaml_real(yaml, beyond, 0, 0, 1e9);
  else if (beyond)
    yaml_add_error(yaml, beyond, "epsilon_rf is for charge_reaction_field alone");
}

static void parse_lj(struct yaml_tree *yaml, int map, struct ff_treatment *t)
{
  t->lj = (enum lj_truncation)yaml_choice(yaml, yaml_need(yaml, map, "truncation"), 0,
                                          CHOICES_TEXT(TRUNCATION_CHOICES));
  const int switches = forcefield_switches_lj(t);
  if (switches) yaml_need(yaml, map, "switch_from");
  parse_end(yaml, map, t, &t->lj_end, switches || t->lj == LJ_CUT || t->lj == LJ_ENERGY_SHIFT,
            switches);
}

/* The keys of a treatment at a mapping; what it does not give stays as it is in t. */
static void parse_treatment(struct yaml_tree *yaml, int map, struct ff_treatment *t)
{
  int lj = yaml_get(yaml, map, "lj"), electro = yaml_get(yaml, map, "electrostatics");
  t->lj_end.cutoff = fmin(t->lj_end.cutoff, t->cutoff);
  t->charge_end.cutoff = fmin(t->charge_end.cutoff, t->cutoff);
  if (lj && yaml_is_map(yaml, lj)) parse_lj(yaml, lj, t);
  if (electro) parse_electrostatics(yaml, electro, t);
  t->switch_from =
      yaml_real(yaml, yaml_get(yaml, map, "switch_from"), t->switch_from, YAML_POSITIVE, t->cutoff);
  t->permittivity = yaml_real(yaml, yaml_get(yaml, map, "permittivity"), t->permittivity, 1, 1e9);
}

static void check_end(struct yaml_tree *yaml, int map, const char *key, const struct ff_end *end)
{
  const int own = yaml_get(yaml, map, key);
  if (end->switch_from > 0 && !(end->switch_from < end->cutoff))
    yaml_add_error(yaml, own ? own : map,
                   "switching begins at %g nm, not below the cutoff of %g nm", end->switch_from,
                   end->cutoff);
}

static void check_treatment(struct yaml_tree *yaml, int map, const struct ff_treatment *t)
{
  check_end(yaml, map, "lj", &t->lj_end);
  check_end(yaml, map, "electrostatics", &t->charge_end);
  const int pair = yaml_get(yaml, yaml_root(yaml), "pair"),
            from = yaml_get(yaml, map, "switch_from");
  if (forcefield_switches(t) && t->switch_from == 0 && !from)
    yaml_add_error(
        yaml, map,
        "'switch_from' is missing: where switching begins, in nm, below the cutoff of %g",
        t->cutoff);
  if (forcefield_switches(t) && !(t->switch_from < t->cutoff))
    yaml_add_error(yaml, from ? from : map,
                   "switching begins at %g nm, not below the cutoff of %g nm", t->switch_from,
                   t->cutoff);
  if (t->electrostatics == ELECTROSTATICS_REACTION_FIELD && t->permittivity == 0 &&
      !yaml_get(yaml, map, "permittivity") && !yaml_get(yaml, pair, "permittivity"))
    yaml_add_error(yaml, map, "'permittivity' of the reaction field is missing");
}

/* Refuses a value, given at a mapping, that none of the treatments from `first` on reads. */
static void check_read(struct yaml_tree *yaml, struct forcefield *ff, int map, int first)
{
  const int from = yaml_get(yaml, map, "switch_from"),
            permittivity = yaml_get(yaml, map, "permittivity");
  int switches = 0, fields = 0;
  for (int k = first; k < ff->n_treatments; k++) {
    switches += forcefield_switches(&ff->treatment[k]);
    fields += ff->treatment[k].electrostatics == ELECTROSTATICS_REACTION_FIELD;
  }
  if (from && !switches)
    yaml_add_error(yaml, from, "no pairs here have a truncation that switches");
  if (permittivity && !fields)
    yaml_add_error(yaml, permittivity,
                   "no pairs here have a reaction_field, and others interact as in vacuum");
}

/* The truncation of Lennard-Jones, given at a mapping, is refused if all pairs of a treatment are
   of Gay-Berne or have tables, and else needed by the first treatment. */
static void check_lj(struct yaml_tree *yaml, struct forcefield *ff, int map, int treatment)
{
  const int lj = yaml_get(yaml, map, "lj");
  int found = 0;
  for (int i = 0; i < ff->n_types; i++)
    for (int j = 0; j < ff->n_types; j++)
      found |= (!treatment || pair_between(ff, i, j)->treatment == treatment) &&
               forcefield_is_lj(ff, i, j);
  if (found && !treatment) yaml_need(yaml, map, "lj");
  if (lj && !found)
    yaml_add_error(yaml, lj,
                   "no pairs here are of Lennard-Jones, and Gay-Berne and tables have no "
                   "truncation; a mixing rule stands beside, in 'mixing'");
}

/* Marks the types of a list of names. */
static char *parse_members(struct yaml_tree *yaml, struct forcefield *ff, int list)
{
  char *member = alloc_array(ff->n_types, 1);
  for (int k = 0, n = yaml_expect_list(yaml, list, 1, ff->n_types); k < n; k++) {
    int t = forcefield_parse_type(yaml, ff, yaml_item(yaml, list, k));
    if (t >= 0) member[t] = 1;
  }
  return member;
}

/* Puts the pairs of some types with some types into the class that is being read. */
static void class_put(struct yaml_tree *yaml, struct forcefield *ff, int node, const char *one,
                      const char *other)
{
  int twice = 0;
  for (int i = 0; i < ff->n_types; i++)
    for (int j = 0; j < ff->n_types; j++) {
      if (!one[i] || !other[j]) continue;
      const int before = pair_between(ff, i, j)->treatment;
      if (before && before != ff->n_treatments && !twice++)
        yaml_add_error(yaml, node, "the pair %s %s is in another class already (number %d)",
                       ff->type[i].name, ff->type[j].name, before);
      pair_between(ff, i, j)->treatment = pair_between(ff, j, i)->treatment = ff->n_treatments;
    }
}

static void parse_class(struct yaml_tree *yaml, struct forcefield *ff, int node)
{
  if (!yaml_expect_map(yaml, node, "types|with|cutoff|lj|electrostatics|switch_from|permittivity"))
    return;
  if (ff->n_treatments == FF_TREATMENTS_MOST) {
    yaml_add_error(yaml, node, "at most %d classes are possible", FF_TREATMENTS_MOST - 1);
    return;
  }
  int lj = yaml_get(yaml, node, "lj"), with = yaml_get(yaml, node, "with");
  if (lj) yaml_expect_map(yaml, lj, "truncation|switch_from|cutoff");
  struct ff_treatment *t = &ff->treatment[ff->n_treatments];
  *t = ff->treatment[0];
  t->line = yaml_line(yaml, node);
  t->cutoff = yaml_real(yaml, yaml_get(yaml, node, "cutoff"), t->cutoff, 1e-3, ff->cutoff);
  parse_treatment(yaml, node, t);
  check_treatment(yaml, node, t);
  char *one = parse_members(yaml, ff, yaml_need(yaml, node, "types"));
  char *other = with ? parse_members(yaml, ff, with) : NULL;
  class_put(yaml, ff, node, one, other ? other : one);
  free(one);
  free(other);
  ff->n_treatments++;
  check_read(yaml, ff, node, ff->n_treatments - 1);
  check_lj(yaml, ff, node, ff->n_treatments - 1);
}

/* The node that gives a treatment: of the pairs, or of its class. */
static int treatment_node(struct yaml_tree *yaml, int map, int treatment)
{
  return treatment ? yaml_item(yaml, yaml_get(yaml, map, "classes"), treatment - 1) : map;
}

/* The largest distance at which two beads touch: ellipsoids end to end, as those of Cleaver et al.
 */
static double touching_distance(const struct forcefield *ff, int i, int j)
{
  const int n = ff->n_types;
  const double di = ff->pair[i * (n + 1)].sigma, dj = ff->pair[j * (n + 1)].sigma;
  const double li = di * fmax(ff->type[i].kappa, 1), lj = dj * fmax(ff->type[j].kappa, 1);
  return ff->pair[i * n + j].sigma * sqrt((li * li + lj * lj) / (di * di + dj * dj));
}

/* Beads touch within the cutoff of their class. */
static void check_contacts(struct yaml_tree *yaml, struct forcefield *ff, int map)
{
  for (int i = 0; i < ff->n_types; i++)
    for (int j = i; j < ff->n_types; j++) {
      const struct ff_pair *pair = &ff->pair[i * ff->n_types + j];
      const struct ff_treatment *t = &ff->treatment[pair->treatment];
      const int bodies = forcefield_is_gay_berne(ff, i, j);
      const double contact = touching_distance(ff, i, j),
                   cutoff = bodies ? t->cutoff : t->lj_end.cutoff;
      const int seen =
          cutoff == ff->cutoff && !pair->treatment && (i == j || !bodies); /* in the table */
      if (pair->epsilon != 0 && contact > cutoff && !seen)
        yaml_add_error(yaml, treatment_node(yaml, map, pair->treatment),
                       "beads %s and %s touch at %g nm, beyond the cutoff of %g nm",
                       ff->type[i].name, ff->type[j].name, contact, cutoff);
    }
}

/* Charges, and dipoles with a shifted force, end at the largest cutoff; the switched forms are for
   dipoles alone, those with epsilon_r for charges alone. */
static void check_electrostatics(struct yaml_tree *yaml, struct forcefield *ff, int map)
{
  static const char *const words[] = {ELECTROSTATICS_CHOICES(CHOICE_WORD)};
  for (int i = 0; i < ff->n_types; i++)
    for (int j = i; j < ff->n_types; j++) {
      const struct ff_type *a = &ff->type[i], *b = &ff->type[j];
      const int treatment = ff->pair[i * ff->n_types + j].treatment;
      const struct ff_treatment *t = &ff->treatment[treatment];
      const int poles = (a->charge != 0 || a->dipole != 0) && (b->charge != 0 || b->dipole != 0);
      const int charges = poles && (a->charge != 0 || b->charge != 0);
      const int alone = t->epsilon_r > 0; /* for charges alone */
      const int for_charges = t->electrostatics == ELECTROSTATICS_SHIFTED_FORCE || alone;
      if (!poles || t->electrostatics == ELECTROSTATICS_NONE) continue;
      if (for_charges && t->cutoff != ff->cutoff)
        yaml_add_error(yaml, treatment_node(yaml, map, treatment),
                       "the pair %s %s: electrostatics with %s end at the cutoff of the "
                       "force field, %g nm, and not at %g",
                       a->name, b->name, words[t->electrostatics], ff->cutoff, t->cutoff);
      if (alone && (a->dipole != 0 || b->dipole != 0))
        yaml_add_error(yaml, treatment_node(yaml, map, treatment),
                       "the pair %s %s has a dipole: electrostatics with %s are "
                       "for charges; dipoles take shifted_force, or switch or reaction_field",
                       a->name, b->name, words[t->electrostatics]);
      if (!for_charges && charges)
        yaml_add_error(yaml, treatment_node(yaml, map, treatment),
                       "the pair %s %s has a charge: electrostatics with switch or reaction_field "
                       "are for dipoles",
                       a->name, b->name);
    }
}

/* A switching function of a sticky term: [lower, upper], nm. */
static void parse_switch(struct yaml_tree *yaml, struct forcefield *ff, int node, double *lower,
                         double *upper)
{
  double range[2] = {0, 0};
  yaml_reals(yaml, node, 2, range, 1e-3, ff->cutoff);
  if (range[0] > 0 && range[1] > 0 && !(range[0] < range[1]))
    yaml_add_error(yaml, node, "[%g, %g]: a switching function begins before it ends, in nm",
                   range[0], range[1]);
  *lower = range[0];
  *upper = range[1];
}

static void parse_sticky(struct yaml_tree *yaml, struct forcefield *ff, int row)
{
  struct ff_sticky s = {0};
  if (!yaml_expect_list(yaml, row, 3, 3)) return;
  int type[2] = {forcefield_parse_type(yaml, ff, yaml_item(yaml, row, 0)),
                 forcefield_parse_type(yaml, ff, yaml_item(yaml, row, 1))};
  int value = yaml_item(yaml, row, 2);
  if (type[0] < 0 || type[1] < 0 ||
      !yaml_expect_map(yaml, value, "v0|v0_prime|w0|switch|switch_prime"))
    return;
  s.v0 = yaml_real(yaml, yaml_need(yaml, value, "v0"), 1, -1e6, 1e6);
  s.v0_prime = yaml_real(yaml, yaml_get(yaml, value, "v0_prime"), s.v0, -1e6, 1e6);
  s.w0 = yaml_real(yaml, yaml_need(yaml, value, "w0"), 0, -10, 10);
  parse_switch(yaml, ff, yaml_need(yaml, value, "switch"), &s.lower, &s.upper);
  parse_switch(yaml, ff, yaml_need(yaml, value, "switch_prime"), &s.lower_prime, &s.upper_prime);
  if (forcefield_is_sticky(ff, type[0], type[1]))
    yaml_add_error(yaml, row, "the sticky pair %s %s stands here for the second time",
                   ff->type[type[0]].name, ff->type[type[1]].name);
  if (s.v0 == 0 && s.v0_prime == 0)
    yaml_add_error(yaml, value, "v0 and v0_prime are both 0: there is no sticky term");
  for (int k = type[0] == type[1]; k < 2; k++)
    if (!(ff->type[type[k]].inertia[2] > 0) || ff->type[type[k]].dipole == 0)
      yaml_add_error(yaml, row,
                     "type %s has no three axes: a sticky term needs a dipole, which is body z, "
                     "and inertia of three positive numbers",
                     ff->type[type[k]].name);
  pair_between(ff, type[0], type[1])->sticky = pair_between(ff, type[1], type[0])->sticky = s;
}

static enum mixing parse_default(struct yaml_tree *yaml, struct forcefield *ff, int map)
{
  int lj = yaml_get(yaml, map, "lj");
  int mixing = yaml_get(yaml, map, "mixing");
  ff->n_treatments = 1;
  ff->treatment[0].cutoff = ff->cutoff;
  ff->treatment[0].lj_end.cutoff = ff->treatment[0].charge_end.cutoff = ff->cutoff;
  ff->treatment[0].line = yaml_line(yaml, map);
  if (lj && yaml_expect_map(yaml, lj, "truncation|mixing|switch_from|cutoff") &&
      yaml_get(yaml, lj, "mixing")) {
    if (mixing) yaml_add_error(yaml, mixing, "'mixing' stands here and in 'lj'");
    mixing = yaml_get(yaml, lj, "mixing");
  }
  parse_treatment(yaml, map, &ff->treatment[0]);
  check_treatment(yaml, map, &ff->treatment[0]);
  for (int k = 0; !yaml_get(yaml, map, "electrostatics") && k < ff->n_types; k++)
    if (ff->type[k].charge != 0 || ff->type[k].dipole != 0)
      yaml_add_error(yaml, map, "'electrostatics' is missing, but type %s has a charge or dipole",
                     ff->type[k].name);
  return (enum mixing)yaml_choice(yaml, mixing, 0, CHOICES_TEXT(MIXING_CHOICES));
}

void forcefield_parse_pairs(struct yaml_tree *yaml, struct forcefield *ff)
{
  int map = yaml_need(yaml, yaml_root(yaml), "pair");
  ff->pair = alloc_array((long long)ff->n_types * ff->n_types, sizeof *ff->pair);
  if (!map ||
      !yaml_expect_map(yaml, map,
                       "lj|mixing|electrostatics|switch_from|permittivity|gay_berne|table|sticky|"
                       "classes"))
    return;
  parse_table(yaml, ff, map, parse_default(yaml, ff, map));
  parse_gay_berne(yaml, ff, map);
  int sticky = yaml_get(yaml, map, "sticky"), classes = yaml_get(yaml, map, "classes");
  const int n_sticky = yaml_expect_list(yaml, sticky, 1, ff->n_types * ff->n_types);
  for (int k = 0; k < n_sticky; k++)
    parse_sticky(yaml, ff, yaml_item(yaml, sticky, k));
  for (int k = 0, n = yaml_expect_list(yaml, classes, 1, 1000); k < n; k++)
    parse_class(yaml, ff, yaml_item(yaml, classes, k));
  check_read(yaml, ff, map, 0);
  check_lj(yaml, ff, map, 0);
  check_electrostatics(yaml, ff, map);
  check_contacts(yaml, ff, map);
}
