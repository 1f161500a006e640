#include "input/run_lists.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "input/forcefield_parser.h"
#include "input/group_reader.h"
#include "input/ramp_yaml.h"
#include "model/restraints.h"

/* Marks the names of a list among n. Without one: all if all is set, else NULL. */
static char *read_names(struct yaml_tree *t, int list, const struct forcefield *ff,
                        const char *what, int (*find)(const struct forcefield *, const char *),
                        int n, int all)
{
  if (!list && !all) return NULL;
  char *in = alloc_array(n, 1);
  if (!list) memset(in, 1, (size_t)n);
  for (int k = 0, names = yaml_expect_list(t, list, 1, n); k < names; k++) {
    const char *name = yaml_text(t, yaml_item(t, list, k), "");
    const int found = find(ff, name);
    if (found >= 0) in[found] = 1;
    if (found < 0 && name[0])
      yaml_add_error(t, yaml_item(t, list, k), "the force field has no %s '%s'", what, name);
  }
  return in;
}

/* The group of an item of a list; without one that of all beads. */
static void read_group(struct yaml_tree *t, int item, const struct params *p,
                       const struct forcefield *ff, int64_t n_total, struct bead_group *g)
{
  bead_group_read(t, yaml_get(t, item, "group"), p, ff, n_total, g);
}

/* The set of a name; -1 with an error: there is none. */
static int find_set(struct yaml_tree *t, int node, const struct forcefield *ff, const char *name)
{
  struct nearest near = {{0}, 0};
  char hint[96];
  const int found = restraints_find_set(ff, name);
  for (int k = 0; k < ff->n_sets; k++)
    nearest_offer(&near, name, ff->set[k]);
  if (found < 0)
    yaml_add_error(t, node, "the force field has no set of restraints '%s'%s%s", name,
                   ff->n_sets ? "" : ", and no other", nearest_text(&near, hint));
  return found;
}

double *restraint_sets_read(const struct params *p, const struct forcefield *ff)
{
  struct params_value v = {0};
  params_open(&v, p, "restraints");
  struct yaml_tree *t = v.tree;
  const int map = v.node;
  const int empty = yaml_is_list(t, map) && yaml_count(t, map) == 0; /* the default */
  const int n = !empty && yaml_expect_map(t, map, NULL) ? yaml_count(t, map) : 0;
  double *strength = n ? alloc_array(ff->n_sets + 1, sizeof *strength) : NULL;
  for (int k = 0; n && k <= ff->n_sets; k++)
    strength[k] = (double)NAN;
  for (int k = 0; k < n; k++) {
    const int node = yaml_item(t, map, k), set = find_set(t, node, ff, yaml_key(t, map, k));
    double now = (double)NAN;
    if (yaml_is_text(t, node, "no") || yaml_is_text(t, node, "false"))
      now = 0;
    else if (!yaml_is_text(t, node, "yes") && !yaml_is_text(t, node, "true"))
      now = yaml_real(t, node, (double)NAN, 0, 1e9);
    if (set >= 0) strength[set + 1] = now;
  }
  params_close(&v);
  return strength;
}

/* Reads bath k. What it does not say is that of the section `thermostat`. */
static void read_bath(struct yaml_tree *t, int node, const struct params *p,
                      const struct forcefield *ff, int64_t n_total, struct heat_bath *bath, int k)
{
  struct heat_bath *b = &bath[k];
  if (!yaml_expect_map(t, node, "name|group|temperature|tau")) return;
  const int name = yaml_need(t, node, "name");
  b->name = text_copy(yaml_text(t, name, ""));
  if (name && !heat_bath_is_name(b->name))
    yaml_add_error(t, name, "a name has at most %d letters, digits and characters of _-+.",
                   HEAT_BATH_NAME - 1);
  if (!strcmp(b->name, "translation") || !strcmp(b->name, "rotation"))
    yaml_add_error(t, name,
                   "temperature_%s_K is a column of PREFIX.csv already: choose another name",
                   b->name);
  for (int other = 0; other < k; other++)
    if (bath[other].name && !strcmp(bath[other].name, b->name))
      yaml_add_error(t, name, "there are two groups of the name '%s'", b->name);
  b->temperature = p->thermostat_temperature;
  ramp_read(t, yaml_get(t, node, "temperature"), &b->temperature, 0, 1e6);
  b->tau = yaml_real(t, yaml_get(t, node, "tau"), p->thermostat_tau, 1e-6, 1e9);
  read_group(t, node, p, ff, n_total, &b->group);
}

struct heat_bath *heat_baths_read(const struct params *p, const struct forcefield *ff,
                                  int64_t n_total, int *n)
{
  struct params_value v = {0};
  struct heat_bath *bath = alloc_array(HEAT_BATHS_MOST, sizeof *bath);
  params_open(&v, p, "thermostat.groups");
  *n = yaml_expect_list(v.tree, v.node, 0, HEAT_BATHS_MOST);
  for (int k = 0; k < *n; k++)
    read_bath(v.tree, yaml_item(v.tree, v.node, k), p, ff, n_total, bath, k);
  params_close(&v);
  if (*n > 0) return bath;
  *n = 1;
  bath[0].temperature = p->thermostat_temperature;
  bath[0].tau = p->thermostat_tau;
  return bath;
}

/* Axes as bits: "xyz", "z". 0 with an error. */
static int read_axes(struct yaml_tree *t, int node)
{
  const char *text = yaml_text(t, node, "xyz");
  int axes = 0;
  for (const char *c = text; *c; c++) {
    const int bit = *c >= 'x' && *c <= 'z' ? 1 << (*c - 'x') : 0;
    if (!bit || (axes & bit)) {
      axes = 0;
      break;
    }
    axes |= bit;
  }
  if (!axes) yaml_add_error(t, node, "'%.60s': expected axes, such as xyz, xy or z", text);
  return axes;
}

/* The rules of a list of groups, at most so many; freezes: of frozen beads. Returns how many. */
static int read_rules(const struct params *p, const char *key, int freezes,
                      const struct forcefield *ff, int64_t n_total, struct team_rule *rule,
                      int most)
{
  struct params_value v = {0};
  params_open(&v, p, key);
  const int n = yaml_expect_list(v.tree, v.node, 0, most);
  for (int k = 0; k < n; k++) {
    const int item = yaml_item(v.tree, v.node, k);
    if (!yaml_expect_map(v.tree, item, freezes ? "group|along" : "group")) continue;
    rule[k].says = (struct team){-1, freezes ? -1 : k, 0};
    if (freezes) rule[k].says.frozen = read_axes(v.tree, yaml_get(v.tree, item, "along"));
    read_group(v.tree, item, p, ff, n_total, &rule[k].group);
  }
  params_close(&v);
  return n;
}

int momentum_rules_read(const struct params *p, const struct forcefield *ff, int64_t n_total,
                        struct team_rule *rule)
{
  return read_rules(p, "run.momentum_groups", 0, ff, n_total, rule, MOMENTUM_GROUPS_MOST);
}

int frozen_rules_read(const struct params *p, const struct forcefield *ff, int64_t n_total,
                      struct team_rule *rule, int most)
{
  return read_rules(p, "frozen", 1, ff, n_total, rule, most);
}

/* The list `lipids`: these and no others. */
static void read_lipids(struct yaml_tree *t, int list, struct lipids *l)
{
  const struct forcefield *ff = l->ff;
  const int n = yaml_expect_list(t, list, 0, 100000);
  if (n == 0) return;
  char *is_given = alloc_array(ff->n_molecules, 1);
  l->is_given = 1;
  for (int k = 0; k < n; k++) {
    const char *name = yaml_text(t, yaml_item(t, list, k), NULL);
    const int found = name ? forcefield_parse_lipid(t, ff, yaml_item(t, list, k), name) : -1;
    if (found >= 0) is_given[found] = 1;
  }
  for (int k = 0; k < ff->n_molecules; k++) {
    if (is_given[k])
      lipids_include(l, k);
    else
      lipids_exclude(l, k);
  }
  free(is_given);
}

/* The names of the heads of a molecule type: one, or a list. */
static void read_head_names(struct yaml_tree *t, int node, struct lipids *l, int molecule)
{
  const int list = yaml_is_list(t, node), items = list ? yaml_count(t, node) : 1;
  if (items == 0) yaml_add_error(t, node, "the list is empty");
  for (int k = 0; k < items; k++) {
    const int item = list ? yaml_item(t, node, k) : node;
    const char *name = yaml_text(t, item, NULL);
    if (name && !lipids_set_head(l, molecule, name, k > 0))
      yaml_add_error(t, item, "'%s' has no bead of the name '%s'", l->ff->molecule[molecule].name,
                     name);
  }
}

static void read_heads(struct yaml_tree *t, int map, struct lipids *l)
{
  if (yaml_is_list(t, map) && yaml_count(t, map) == 0) return; /* the default */
  if (!yaml_expect_map(t, map, NULL)) return;
  for (int k = 0; k < yaml_count(t, map); k++) {
    const int node = yaml_item(t, map, k),
              found = forcefield_parse_lipid(t, l->ff, node, yaml_key(t, map, k));
    if (found < 0) continue;
    if (l->is_given && !l->type[found].is_lipid)
      yaml_add_error(t, node, "'%s' is not in the list of lipids", l->ff->molecule[found].name);
    lipids_include(l, found);
    read_head_names(t, node, l, found);
  }
}

struct lipids *membrane_lipids_read(const struct params *p, const struct forcefield *ff)
{
  struct lipids *l = lipids_create(ff);
  struct params_value v = {0};
  if (!p) return l;
  l->is_flat = p->membrane_flat == FLAT_YES || p->output_bilayers > 1;
  params_open(&v, p, "membrane.lipids");
  read_lipids(v.tree, v.node, l);
  yaml_destroy(v.tree); /* its errors are said with those of the heads */
  params_open(&v, p, "membrane.heads");
  read_heads(v.tree, v.node, l);
  params_close(&v);
  return l;
}

struct soft_lambdas soft_lambdas_parse(struct yaml_tree *t, int list)
{
  struct soft_lambdas s = {0};
  s.n = list ? yaml_expect_list(t, list, 0, SOFT_LAMBDAS_MOST) : 0;
  for (int k = 0; k < s.n; k++)
    s.lambda[k] = yaml_real(t, yaml_item(t, list, k), 0, 0, 1);
  return s;
}

struct soft_lambdas soft_lambdas_read(const struct params *p)
{
  struct params_value v = {0};
  params_open(&v, p, "minimise.soft");
  const struct soft_lambdas s = soft_lambdas_parse(v.tree, v.node);
  if (s.n > 0 && p->minimise_steps == 0)
    yaml_add_error(v.tree, v.node,
                   "minimise.soft is for a run that minimises: give minimise.steps too");
  params_close(&v);
  return s;
}

char *soft_core_read(const struct params *p, const struct forcefield *ff, struct soft_core *s)
{
  struct params_value v = {0};
  params_open(&v, p, "soft_core.molecules");
  const int all = !v.node || yaml_expect_list(v.tree, v.node, 0, ff->n_molecules) == 0;
  char *in = read_names(v.tree, all ? 0 : v.node, ff, "molecule type", forcefield_molecule,
                        ff->n_molecules, 1);
  params_close(&v);
  memset(s, 0, sizeof *s);
  s->end[0] = (enum coupled)p->soft_core_at_0;
  s->end[1] = (enum coupled)p->soft_core_at_1;
  s->on = !isnan(p->soft_core_lambda) && soft_core_lacks(s);
  s->lambda = p->soft_core_lambda;
  s->charges = isnan(p->soft_core_lambda_charges) ? s->lambda : p->soft_core_lambda_charges;
  s->alpha = p->soft_core_alpha;
  s->power = (int)p->soft_core_power;
  s->sigma = p->soft_core_sigma;
  s->soft_charges = p->soft_core_charges == SOFT_CHARGES_YES;
  return in;
}
