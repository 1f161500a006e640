/* Constraints and virtual sites of molecules. A constraint becomes a bond of the form `constraint`,
   with a bonded type of its length that has no name in the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "input/forcefield_parser.h"

enum { ROWS_MOST = 30000 };

/* The bonded type of constraints of a length (nm), which is added if there is none. Its name has a
   blank, so that no type of the file has it. */
static int constraint_type(struct forcefield *ff, int form, double length)
{
  struct ff_section *s = &ff->bonded[SECTION_bond];
  for (int k = 0; k < s->n; k++)
    if (s->type[k].form == form && s->type[k].value[0] == length) return k;
  char name[FF_NAME];
  snprintf(name, sizeof name, "%.12g nm", length);
  return forcefield_add_bonded(s, name, form, &length, 1);
}

/* 1 if two beads have a constraint, or a bond if the new one joins them too. */
static int is_taken(const struct forcefield *ff, const struct ff_molecule *m, int joins, int i,
                    int j)
{
  const struct ff_terms *t = &m->bonded[SECTION_bond];
  for (int k = 0; k < t->n; k++) {
    const int *b = t->term[k].bead, type = t->term[k].type;
    if (!(b[0] == i && b[1] == j) && !(b[0] == j && b[1] == i)) continue;
    if (forcefield_is_constraint(ff, SECTION_bond, type)) return 1;
    if (joins && forcefield_form(ff, SECTION_bond, type)->joins) return 1;
  }
  return 0;
}

/* [bead, bead, length] or [bead, bead, length, no_exclusions]. */
static void parse_constraint(struct yaml_tree *yaml, struct forcefield *ff, int list,
                             struct ff_molecule *m)
{
  struct ff_terms *t = &m->bonded[SECTION_bond];
  if (!yaml_expect_list(yaml, list, 3, 4)) return;
  const int errors = yaml_errors(yaml);
  struct ff_term term = {0};
  for (int e = 0; e < 2; e++)
    term.bead[e] = forcefield_parse_bead(yaml, yaml_item(yaml, list, e), m->n_beads);
  const double length = yaml_real(yaml, yaml_item(yaml, list, 2), 1, 1e-6, 1e3);
  const int apart = yaml_count(yaml, list) > 3;
  if (apart) yaml_choice(yaml, yaml_item(yaml, list, 3), 0, "no_exclusions");
  if (yaml_errors(yaml) > errors) return;
  if (term.bead[0] == term.bead[1])
    yaml_add_error(yaml, list, "a constraint needs two different beads");
  else if (is_taken(ff, m, !apart, term.bead[0], term.bead[1]))
    yaml_add_error(yaml, list, "these beads have a constraint or a bond already");
  if (yaml_errors(yaml) > errors) return;
  term.type =
      constraint_type(ff, apart ? FORM_bond_constraint_apart : FORM_bond_constraint, length);
  t->term = grow_array(t->term, t->n + 1LL, sizeof *t->term);
  t->term[t->n++] = term;
}

static int parse_site_form(struct yaml_tree *yaml, int node)
{
  char words[200] = "";
  for (int k = 0; k < SITE_FORMS; k++)
    word_list_add(words, sizeof words, site_form_info[k].name);
  return yaml_choice(yaml, yaml_need(yaml, node, "form"), 0, words);
}

static void parse_parents(struct yaml_tree *yaml, int list, const struct ff_molecule *m,
                          struct ff_site *s)
{
  const int wanted = site_form_info[s->form].parents;
  s->n =
      yaml_expect_list(yaml, list, wanted ? wanted : 1, wanted ? wanted : CLUSTER_BEADS_MOST - 1);
  if (s->n == 0) return;
  s->from = alloc_array(s->n, sizeof *s->from);
  s->value = alloc_array(site_values(s), sizeof *s->value);
  for (int j = 0; j < s->n; j++) {
    s->from[j] = forcefield_parse_bead(yaml, yaml_item(yaml, list, j), m->n_beads);
    if (s->from[j] == s->bead && s->bead >= 0)
      yaml_add_error(yaml, list, "a site cannot be built on itself");
    for (int k = 0; k < j; k++)
      if (s->from[k] == s->from[j] && s->from[j] >= 0)
        yaml_add_error(yaml, list, "a bead stands here twice");
  }
}

/* Reads the weights of the parents and divides them by their sum. */
static void parse_weights(struct yaml_tree *yaml, int list, struct ff_site *s)
{
  double sum = 0, size = 0;
  if (!s->value || !yaml_expect_list(yaml, list, s->n, s->n)) return;
  for (int j = 0; j < s->n; j++) {
    s->value[j] = yaml_real(yaml, yaml_item(yaml, list, j), 1, -1e6, 1e6);
    sum += s->value[j];
    size += fabs(s->value[j]);
  }
  if (!(fabs(sum) > 1e-9 * size)) yaml_add_error(yaml, list, "the weights add up to 0");
  for (int j = 0; j < s->n && sum != 0; j++)
    s->value[j] /= sum;
}

/* Appends a site to the molecule, or adds errors. */
static void parse_site(struct yaml_tree *yaml, int node, struct ff_molecule *m)
{
  if (!yaml_expect_map(yaml, node, NULL)) return;
  const int errors = yaml_errors(yaml);
  double value[SITE_PARAMETERS_MOST] = {0};
  struct ff_site s = {.form = parse_site_form(yaml, node)};
  const struct site_form_info *form = &site_form_info[s.form];
  s.bead = forcefield_parse_bead(yaml, yaml_need(yaml, node, "bead"), m->n_beads);
  form_read_parameters(yaml, node, form->parents ? "bead|form|from" : "bead|form|from|weights",
                       form->parameter, value);
  parse_parents(yaml, yaml_need(yaml, node, "from"), m, &s);
  if (s.value) memcpy(s.value, value, sizeof value);
  if (!form->parents) parse_weights(yaml, yaml_need(yaml, node, "weights"), &s);
  for (int k = 0; k < m->n_sites; k++)
    if (m->site[k].bead == s.bead && s.bead >= 0)
      yaml_add_error(yaml, yaml_get(yaml, node, "bead"),
                     "bead %d is constructed for the second time", s.bead + 1);
  m->site = extend_array(m->site, m->n_sites, sizeof *m->site);
  m->site[m->n_sites] = s;
  if (yaml_errors(yaml) > errors)
    site_free(&s);
  else
    m->n_sites++;
}

/* Sites, and no other beads, have no mass; constraints join beads with mass. */
static void check_masses(struct yaml_tree *yaml, struct forcefield *ff, int node,
                         const struct ff_molecule *m)
{
  const struct ff_terms *t = &m->bonded[SECTION_bond];
  char *is_site = alloc_array(m->n_beads, 1);
  for (int k = 0; k < m->n_sites; k++)
    is_site[m->site[k].bead] = 1;
  for (int b = 0; b < m->n_beads; b++) {
    const struct ff_type *type = &ff->type[m->bead[b]];
    if (is_site[b] && type->mass > 0)
      yaml_add_error(yaml, node, "bead %d is a virtual site, but type %s has a mass; give it 0",
                     b + 1, type->name);
    if (!is_site[b] && !(type->mass > 0))
      yaml_add_error(yaml, node, "bead %d has no mass (type %s) and is no virtual site", b + 1,
                     type->name);
  }
  for (int k = 0; k < t->n; k++)
    for (int e = 0; e < 2; e++)
      if (forcefield_is_constraint(ff, SECTION_bond, t->term[k].type) &&
          is_site[t->term[k].bead[e]])
        yaml_add_error(yaml, node, "bead %d is a virtual site and cannot have a constraint",
                       t->term[k].bead[e] + 1);
  free(is_site);
}

/* Adds an error if lengths of the last cluster types, from the first one given, contradict each
 * other. */
static void check_lengths(struct yaml_tree *yaml, struct forcefield *ff, int node,
                          const struct ff_molecule *m, int first)
{
  for (int k = first; k < ff->n_clusters; k++) {
    const struct cluster_type *t = &ff->cluster[k];
    double way;
    const int c = cluster_contradiction(t->n_beads, t->n_constraints, t->constraint, &way);
    int at[2] = {0, 0};
    for (int b = 0; b < m->n_beads && c >= 0; b++)
      for (int e = 0; e < 2; e++)
        if (m->cluster[b] == k && m->place[b] == t->constraint[c].bead[e]) at[e] = b + 1;
    if (c >= 0)
      yaml_add_error(yaml, node,
                     "the constraint of %g nm of beads %d and %d contradicts others, which hold "
                     "them within %g nm",
                     t->constraint[c].length, at[0], at[1], way);
  }
}

void forcefield_parse_clusters(struct yaml_tree *yaml, struct forcefield *ff, int node,
                               struct ff_molecule *m)
{
  const int constraints = yaml_get(yaml, node, "constraints");
  const int sites = yaml_get(yaml, node, "sites"), errors = yaml_errors(yaml);
  struct cluster_counts large;
  for (int b = 0; b < m->n_beads; b++)
    if (m->bead[b] < 0) return;
  for (int k = 0, n = yaml_expect_list(yaml, constraints, 0, ROWS_MOST); k < n; k++)
    parse_constraint(yaml, ff, yaml_item(yaml, constraints, k), m);
  for (int k = 0, n = yaml_expect_list(yaml, sites, 0, ROWS_MOST); k < n; k++)
    parse_site(yaml, yaml_item(yaml, sites, k), m);
  if (yaml_errors(yaml) > errors) return;
  check_masses(yaml, ff, node, m);
  if (!cluster_order_sites(m))
    yaml_add_error(yaml, sites, "virtual sites are built on each other in a circle");
  if (yaml_errors(yaml) > errors) return;
  const int before = ff->n_clusters;
  if (!cluster_find(ff, m, &large))
    yaml_add_error(yaml, node,
                   "constraints and virtual sites connect bead %d (%s) with others to a cluster of "
                   "%d %s; at most %d are possible: write some of them as stiff bonds",
                   large.bead + 1, ff->type[m->bead[large.bead]].name,
                   cluster_beads_beyond(&large) ? large.beads : large.constraints,
                   cluster_beads_beyond(&large) ? "beads" : "constraints",
                   cluster_beads_beyond(&large) ? CLUSTER_BEADS_MOST
                                                : cluster_constraints_beyond(&large));
  else
    check_lengths(yaml, ff, constraints, m, before);
}
