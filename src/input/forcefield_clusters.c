/* Constraints and virtual sites of molecules. A constraint becomes a bond of the form `constraint`,
   with a bonded type of its length that has no name in the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "input/forcefield_parser.h"

enum { ROWS_MOST = 30000, KEYS_MOST = 200 };

/* A bead of the molecule: from 1 in the file, from 0 here; -1, and an error, if it is wrong. */
static int parse_bead(struct forcefield_parser *p, int node, const struct ff_molecule *m)
{
  return (int)yaml_int(p->tree, node, 0, 1, m->n_beads) - 1;
}

/* The bonded type of constraints of a length (nm), which is added if there is none. Its name has a
   blank, so that no type of the file has it. */
static int constraint_type(struct forcefield *ff, int form, double length)
{
  struct ff_section *s = &ff->bonded[SECTION_bond];
  for (int k = 0; k < s->n; k++)
    if (s->type[k].form == form && s->type[k].value[0] == length) return k;
  struct ff_bonded type = {.form = form, .value = {length}};
  snprintf(type.name, sizeof type.name, "%.12g nm", length);
  s->type = grow_array(s->type, s->n + 1, sizeof *s->type);
  s->type[s->n] = type;
  return s->n++;
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
static void parse_constraint(struct forcefield_parser *p, int list, struct ff_molecule *m)
{
  struct ff_terms *t = &m->bonded[SECTION_bond];
  if (!yaml_expect_list(p->tree, list, 3, 4)) return;
  const int errors = yaml_errors(p->tree);
  struct ff_term term = {0};
  for (int e = 0; e < 2; e++)
    term.bead[e] = parse_bead(p, yaml_item(p->tree, list, e), m);
  const double length = yaml_real(p->tree, yaml_item(p->tree, list, 2), 1, 1e-6, 1e3);
  const int apart = yaml_count(p->tree, list) > 3;
  if (apart) yaml_choice(p->tree, yaml_item(p->tree, list, 3), 0, "no_exclusions");
  if (yaml_errors(p->tree) > errors) return;
  if (term.bead[0] == term.bead[1])
    yaml_add_error(p->tree, list, "a constraint needs two different beads");
  else if (is_taken(p->ff, m, !apart, term.bead[0], term.bead[1]))
    yaml_add_error(p->tree, list, "these beads have a constraint or a bond already");
  if (yaml_errors(p->tree) > errors) return;
  term.type =
      constraint_type(p->ff, apart ? FORM_bond_constraint_apart : FORM_bond_constraint, length);
  t->term = grow_array(t->term, t->n + 1, sizeof *t->term);
  t->term[t->n++] = term;
}

/* "bead|form|from", and the parameters of a form, or the weights. */
static void list_keys(const struct site_form_info *form, char out[KEYS_MOST])
{
  snprintf(out, KEYS_MOST, "bead|form|from%s", form->parents ? "" : "|weights");
  for (int k = 0; form->parameter[k].name; k++)
    snprintf(out + strlen(out), KEYS_MOST - strlen(out), "|%s", form->parameter[k].name);
}

static int parse_site_form(struct forcefield_parser *p, int node)
{
  char words[KEYS_MOST] = "";
  for (int k = 0; k < SITE_FORMS; k++)
    snprintf(words + strlen(words), KEYS_MOST - strlen(words), "%s%s", k ? "|" : "",
             site_form_info[k].name);
  return yaml_choice(p->tree, yaml_need(p->tree, node, "form"), 0, words);
}

static void parse_parents(struct forcefield_parser *p, int list, const struct ff_molecule *m,
                          struct ff_site *s)
{
  const int wanted = site_form_info[s->form].parents;
  if (!yaml_expect_list(p->tree, list, wanted ? wanted : 1,
                        wanted ? wanted : CLUSTER_BEADS_MOST - 1))
    return;
  s->n = yaml_count(p->tree, list);
  s->from = alloc_array(s->n, sizeof *s->from);
  s->value = alloc_array(site_values(s), sizeof *s->value);
  for (int j = 0; j < s->n; j++) {
    s->from[j] = parse_bead(p, yaml_item(p->tree, list, j), m);
    if (s->from[j] == s->bead && s->bead >= 0)
      yaml_add_error(p->tree, list, "a site cannot be built on itself");
    for (int k = 0; k < j; k++)
      if (s->from[k] == s->from[j] && s->from[j] >= 0)
        yaml_add_error(p->tree, list, "a bead stands here twice");
  }
}

/* Reads the weights of the parents and divides them by their sum. */
static void parse_weights(struct forcefield_parser *p, int list, struct ff_site *s)
{
  double sum = 0, size = 0;
  if (!s->value || !yaml_expect_list(p->tree, list, s->n, s->n)) return;
  for (int j = 0; j < s->n; j++) {
    s->value[j] = yaml_real(p->tree, yaml_item(p->tree, list, j), 1, -1e6, 1e6);
    sum += s->value[j];
    size += fabs(s->value[j]);
  }
  if (!(fabs(sum) > 1e-9 * size)) yaml_add_error(p->tree, list, "the weights add up to 0");
  for (int j = 0; j < s->n && sum != 0; j++)
    s->value[j] /= sum;
}

static struct ff_site read_site(struct forcefield_parser *p, int node, const struct ff_molecule *m)
{
  char keys[KEYS_MOST];
  struct ff_site s = {0};
  s.form = parse_site_form(p, node);
  s.bead = parse_bead(p, yaml_need(p->tree, node, "bead"), m);
  const struct site_form_info *form = &site_form_info[s.form];
  list_keys(form, keys);
  yaml_expect_map(p->tree, node, keys);
  parse_parents(p, yaml_need(p->tree, node, "from"), m, &s);
  if (!form->parents) parse_weights(p, yaml_need(p->tree, node, "weights"), &s);
  for (int k = 0; form->parameter[k].name; k++) {
    const struct bonded_parameter *a = &form->parameter[k];
    const double value = yaml_real(p->tree, yaml_need(p->tree, node, a->name), 0, a->low, a->high);
    if (s.value) s.value[k] = value;
  }
  return s;
}

static void parse_site(struct forcefield_parser *p, int node, struct ff_molecule *m)
{
  if (!yaml_expect_map(p->tree, node, NULL)) return;
  const int errors = yaml_errors(p->tree);
  struct ff_site s = read_site(p, node, m);
  if (yaml_errors(p->tree) > errors) {
    site_free(&s);
    return;
  }
  for (int k = 0; k < m->n_sites; k++)
    if (m->site[k].bead == s.bead)
      yaml_add_error(p->tree, yaml_get(p->tree, node, "bead"),
                     "bead %d is constructed for the second time", s.bead + 1);
  m->site = grow_array(m->site, m->n_sites + 1, sizeof *m->site);
  m->site[m->n_sites++] = s;
}

/* Sites, and no other beads, have no mass; constraints join beads with mass. */
static void check_masses(struct forcefield_parser *p, int node, const struct ff_molecule *m)
{
  const struct ff_terms *t = &m->bonded[SECTION_bond];
  char *is_site = alloc_array(m->n_beads, 1);
  for (int k = 0; k < m->n_sites; k++)
    is_site[m->site[k].bead] = 1;
  for (int b = 0; b < m->n_beads; b++) {
    const struct ff_type *type = &p->ff->type[m->bead[b]];
    if (is_site[b] && type->mass > 0)
      yaml_add_error(p->tree, node, "bead %d is a virtual site, but type %s has a mass; give it 0",
                     b + 1, type->name);
    if (!is_site[b] && !(type->mass > 0))
      yaml_add_error(p->tree, node, "bead %d has no mass (type %s) and is no virtual site", b + 1,
                     type->name);
  }
  for (int k = 0; k < t->n; k++)
    for (int e = 0; e < 2; e++)
      if (forcefield_is_constraint(p->ff, SECTION_bond, t->term[k].type) &&
          is_site[t->term[k].bead[e]])
        yaml_add_error(p->tree, node, "bead %d is a virtual site and cannot have a constraint",
                       t->term[k].bead[e] + 1);
  free(is_site);
}

/* Adds an error if lengths of the last cluster types, from the first one given, contradict each
 * other. */
static void check_lengths(struct forcefield_parser *p, int node, const struct ff_molecule *m,
                          int first)
{
  for (int k = first; k < p->ff->n_clusters; k++) {
    const struct cluster_type *t = &p->ff->cluster[k];
    double way;
    const int c = cluster_contradiction(t->n_beads, t->n_constraints, t->constraint, &way);
    int at[2] = {0, 0};
    for (int b = 0; b < m->n_beads && c >= 0; b++)
      for (int e = 0; e < 2; e++)
        if (m->cluster[b] == k && m->place[b] == t->constraint[c].bead[e]) at[e] = b + 1;
    if (c >= 0)
      yaml_add_error(p->tree, node,
                     "the constraint of %g nm of beads %d and %d contradicts others, which hold "
                     "them within %g nm",
                     t->constraint[c].length, at[0], at[1], way);
  }
}

void forcefield_parse_clusters(struct forcefield_parser *p, int node, struct ff_molecule *m)
{
  const int constraints = yaml_get(p->tree, node, "constraints");
  const int sites = yaml_get(p->tree, node, "sites"), errors = yaml_errors(p->tree);
  struct cluster_counts large;
  for (int b = 0; b < m->n_beads; b++)
    if (m->bead[b] < 0) return;
  if (yaml_expect_list(p->tree, constraints, 0, ROWS_MOST))
    for (int k = 0; k < yaml_count(p->tree, constraints); k++)
      parse_constraint(p, yaml_item(p->tree, constraints, k), m);
  if (yaml_expect_list(p->tree, sites, 0, ROWS_MOST))
    for (int k = 0; k < yaml_count(p->tree, sites); k++)
      parse_site(p, yaml_item(p->tree, sites, k), m);
  if (yaml_errors(p->tree) > errors) return;
  check_masses(p, node, m);
  if (!cluster_order_sites(m))
    yaml_add_error(p->tree, sites, "virtual sites are built on each other in a circle");
  if (yaml_errors(p->tree) > errors) return;
  const int before = p->ff->n_clusters;
  if (!cluster_find(p->ff, m, &large))
    yaml_add_error(p->tree, node,
                   "constraints and virtual sites connect bead %d (%s) with others to a cluster of "
                   "%d %s; at most %d are possible: write some of them as stiff bonds",
                   large.bead + 1, p->ff->type[m->bead[large.bead]].name,
                   cluster_beads_beyond(&large) ? large.beads : large.constraints,
                   cluster_beads_beyond(&large) ? "beads" : "constraints",
                   cluster_beads_beyond(&large) ? CLUSTER_BEADS_MOST
                                                : cluster_constraints_beyond(&large));
  else
    check_lengths(p, constraints, m, before);
}
