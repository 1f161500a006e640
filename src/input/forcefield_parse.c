/* Parsing of force fields: every entry is checked, every error has its line. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/choices.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "input/forcefield_file.h"
#include "input/forcefield_parser.h"
#include "model/restraint_shape.h"
#include "model/restraints.h"

enum {
  MAX_ROWS = 10000,        /* of beads of a molecule, and of other lists */
  MAX_TERMS = 100000,      /* of a section of a molecule */
  MAX_BONDED_TYPES = 50000 /* of a section: an elastic network has one for each bond */
};

/* In names that lists of words may have. */
static const char FORBIDDEN[] = " \t\n,|";

/* "|bonds|angles" */
#define SECTION_KEY(name) "|" #name "s"
#define SECTION_KEYS BONDED_SECTIONS_OF_FILES(SECTION_KEY)

/* The mapping under a top-level key and its number of entries, 0 if it is wrong. */
static int section(struct yaml_tree *yaml, const char *key, int needed, int most, int *n)
{
  int root = yaml_root(yaml);
  int node = needed ? yaml_need(yaml, root, key) : yaml_get(yaml, root, key);
  *n = yaml_expect_map(yaml, node, NULL) ? yaml_count(yaml, node) : 0;
  if (*n > most) {
    yaml_add_error(yaml, node, "%d entries, but at most %d are allowed", *n, most);
    *n = 0;
  }
  return node;
}

/* Published moments of planar molecules are rounded: the largest may be a little more than the sum
   of the others. */
#define INERTIA_ROUNDING 1e-3

static void check_inertia(struct yaml_tree *yaml, int node, const struct ff_type *t)
{
  const double *i = t->inertia;
  const int shape = yaml_get(yaml, node, "shape");
  int none = i[0] == 0 && i[1] == 0 && i[2] == 0, linear = i[0] > 0 && i[0] == i[1] && i[2] == 0;
  int full = i[0] > 0 && i[1] > 0 && i[2] > 0;
  for (int d = 0; d < 3; d++)
    if (i[d] > 0 && i[d] < 1e-9)
      yaml_add_error(yaml, node, "inertia: %g is less than 1e-9 amu nm2, and not 0", i[d]);
  if (!none && !linear && !full)
    yaml_add_error(yaml, node, "inertia is [0, 0, 0], [I, I, 0] or three positive numbers");
  for (int d = 0; full && d < 3; d++) {
    const double rest = i[(d + 1) % 3] + i[(d + 2) % 3];
    if (i[d] > rest * (1 + INERTIA_ROUNDING))
      yaml_add_error(yaml, node,
                     "no rigid body has the inertia [%g, %g, %g]: %g is more than the sum of the "
                     "other two, %g",
                     i[0], i[1], i[2], i[d], rest);
  }
  if (!(t->mass > 0) && !none)
    yaml_add_error(yaml, node, "type %s turns and so needs a mass", t->name);
  if (t->dipole != 0 && none)
    yaml_add_error(yaml, node, "a type with a dipole needs inertia [I, I, 0] or three numbers");
  if (shape && none)
    yaml_add_error(yaml, shape,
                   "an ellipsoid turns: type %s needs inertia [I, I, 0] or three numbers", t->name);
}

/* An ellipsoid of Gay-Berne pairs. */
static void parse_shape(struct yaml_tree *yaml, int node, struct ff_type *t)
{
  if (!yaml_expect_map(yaml, node, "kappa|kappa_prime")) return;
  t->kappa = yaml_real(yaml, yaml_need(yaml, node, "kappa"), 1, 0.1, 10);
  t->kappa_prime = yaml_real(yaml, yaml_need(yaml, node, "kappa_prime"), 1, 1e-3, 1e3);
}

static void parse_types(struct yaml_tree *yaml, struct forcefield *ff)
{
  int map = section(yaml, "types", 1, FF_TYPES_MOST, &ff->n_types);
  ff->type = alloc_array(ff->n_types, sizeof *ff->type);
  if (map && ff->n_types == 0) yaml_add_error(yaml, map, "there are no types");
  for (int k = 0; k < ff->n_types; k++) {
    struct ff_type *t = &ff->type[k];
    int node = yaml_item(yaml, map, k);
    const int errors = yaml_errors(yaml);
    forcefield_parse_name(yaml, node, yaml_key(yaml, map, k), FORBIDDEN, t->name);
    if (!yaml_expect_map(yaml, node, "mass|inertia|charge|dipole|electrons|shape")) continue;
    const int mass = yaml_need(yaml, node, "mass");
    t->mass = yaml_real(yaml, mass, 1, 0, 1e9);
    if (t->mass > 0 && t->mass < 1e-6)
      yaml_add_error(yaml, mass, "%g is less than 1e-6, and not 0 as of a virtual site", t->mass);
    yaml_reals(yaml, yaml_get(yaml, node, "inertia"), 3, t->inertia, 0, 1e9);
    t->charge = yaml_real(yaml, yaml_get(yaml, node, "charge"), 0, -1e3, 1e3);
    t->dipole = yaml_real(yaml, yaml_get(yaml, node, "dipole"), 0, 0, 1e3);
    t->electrons = yaml_real(yaml, yaml_get(yaml, node, "electrons"), 0, 0, 1e6);
    parse_shape(yaml, yaml_get(yaml, node, "shape"), t);
    if (yaml_errors(yaml) == errors) check_inertia(yaml, node, t);
  }
}

/* The form of an entry, one of those of the section. */
static int parse_form(struct yaml_tree *yaml, int node, int section)
{
  char words[200] = "";
  int form[FORMS], n = 0;
  for (int k = 0; k < FORMS; k++) {
    if ((int)bonded_form_info[k].section != section) continue;
    word_list_add(words, sizeof words, bonded_form_info[k].name);
    form[n++] = k;
  }
  return form[yaml_choice(yaml, yaml_need(yaml, node, "form"), 0, words)];
}

static void parse_bonded_types(struct yaml_tree *yaml, struct forcefield *ff, int section_of)
{
  struct ff_section *s = &ff->bonded[section_of];
  char key[FF_NAME];
  snprintf(key, sizeof key, "%ss", bonded_section_name[section_of]);
  int map = section(yaml, key, 0, MAX_BONDED_TYPES, &s->n);
  s->type = alloc_array(s->n, sizeof *s->type);
  for (int k = 0; k < s->n; k++) {
    struct ff_bonded *b = &s->type[k];
    int node = yaml_item(yaml, map, k);
    forcefield_parse_name(yaml, node, yaml_key(yaml, map, k), FORBIDDEN, b->name);
    b->form = parse_form(yaml, node, section_of);
    form_read_parameters(yaml, node, "form", bonded_form_info[b->form].parameter, b->value);
    forcefield_check_bonded_table(yaml, ff, node, b);
  }
}

/* Reads the bead numbers of an entry, items from `first` on. An entry with a mistake is not kept.
 */
static int parse_beads(struct yaml_tree *yaml, int list, int first, int n_beads, int *out)
{
  int n = yaml_count(yaml, list) - first;
  for (int k = 0; k < n; k++) {
    out[k] = forcefield_parse_bead(yaml, yaml_item(yaml, list, first + k), n_beads);
    for (int m = 0; m < k; m++)
      if (out[m] == out[k] && out[k] >= 0) yaml_add_error(yaml, list, "a bead stands here twice");
  }
  return n;
}

static int bonded_type(struct yaml_tree *yaml, struct forcefield *ff, int list, int section)
{
  const struct ff_section *s = &ff->bonded[section];
  int node = yaml_item(yaml, list, 0);
  const char *name = yaml_text(yaml, node, "");
  for (int k = 0; k < s->n; k++)
    if (!strcmp(name, s->type[k].name)) return k;
  yaml_add_error(yaml, node, "there is no %s type '%s'", bonded_section_name[section], name);
  return -1;
}

/* 1 if a term of a section joins two beads. */
static int is_joined(struct forcefield *ff, const struct ff_molecule *m, int section, int i, int j)
{
  const struct ff_terms *t = &m->bonded[section];
  for (int n = 0; n < t->n; n++) {
    const int *b = t->term[n].bead;
    if (!forcefield_form(ff, section, t->term[n].type)->joins) continue;
    if ((b[0] == i && b[1] == j) || (b[0] == j && b[1] == i)) return 1;
  }
  return 0;
}

/* Adds errors where the beads of a term, all of them good numbers, do not suit its form. Types of
   beads that are unknown have an error of their own. */
static void check_term(struct yaml_tree *yaml, struct forcefield *ff, int list,
                       const struct ff_molecule *m, int section, const struct ff_term *term,
                       int beads)
{
  const struct bonded_form_info *form = forcefield_form(ff, section, term->type);
  const struct ff_bonded *of = &ff->bonded[section].type[term->type];
  if (beads != form->beads)
    yaml_add_error(yaml, list, "this %s takes %d beads", bonded_section_name[section], form->beads);
  for (int k = 0; k < form->axes && k < beads; k++)
    if (bonded_takes_axis(of->form, of->value, k) && m->bead[term->bead[k]] >= 0 &&
        !forcefield_has_axis(ff, m->bead[term->bead[k]]))
      yaml_add_error(yaml, list, "bead %d of this %s has no axis: it takes a dipole or a shape",
                     k + 1, bonded_section_name[section]);
  if (form->joins && is_joined(ff, m, section, term->bead[0], term->bead[1]))
    yaml_add_error(yaml, list, "these beads are bonded for the second time");
}

static void parse_molecule_terms(struct yaml_tree *yaml, struct forcefield *ff, int node,
                                 struct ff_molecule *m, int section)
{
  struct ff_terms *t = &m->bonded[section];
  int fewest, most;
  bonded_section_beads(section, &fewest, &most);
  const int n = yaml_expect_list(yaml, node, 0, MAX_TERMS);
  if (n > 0) t->term = alloc_array(n, sizeof *t->term);
  for (int k = 0; k < n; k++) {
    int list = yaml_item(yaml, node, k);
    const int errors = yaml_errors(yaml);
    struct ff_term term = {0};
    if (!yaml_expect_list(yaml, list, 1 + fewest, 1 + most)) continue;
    term.type = bonded_type(yaml, ff, list, section);
    int beads = parse_beads(yaml, list, 1, m->n_beads, term.bead);
    if (yaml_errors(yaml) == errors) check_term(yaml, ff, list, m, section, &term, beads);
    if (yaml_errors(yaml) == errors) t->term[t->n++] = term;
  }
}

static int compare_exclusions(const void *pa, const void *pb)
{
  const struct ff_exclusion *a = pa, *b = pb;
  return a->bead != b->bead ? (a->bead > b->bead) - (a->bead < b->bead)
                            : (a->other > b->other) - (a->other < b->other);
}

/* Sorts the exclusions of a molecule; a pair may stand in the file more than once. */
static void exclusions_sort(struct ff_molecule *m)
{
  int kept = 0;
  if (m->n_exclusions == 0) return;
  qsort(m->exclusion, (size_t)m->n_exclusions, sizeof *m->exclusion, compare_exclusions);
  for (int k = 1; k < m->n_exclusions; k++)
    if (compare_exclusions(&m->exclusion[k], &m->exclusion[kept]) != 0)
      m->exclusion[++kept] = m->exclusion[k];
  m->n_exclusions = kept + 1;
}

/* Lists of beads: the first of each is excluded from the others. */
static void parse_molecule_exclusions(struct yaml_tree *yaml, int node, struct ff_molecule *m)
{
  int *bead = alloc_array(m->n_beads, sizeof *bead);
  for (int k = 0, rows = yaml_expect_list(yaml, node, 0, MAX_ROWS); k < rows; k++) {
    const int list = yaml_item(yaml, node, k);
    const int errors = yaml_errors(yaml);
    if (!yaml_expect_list(yaml, list, 2, m->n_beads)) continue;
    const int n = parse_beads(yaml, list, 0, m->n_beads, bead);
    if (yaml_errors(yaml) > errors) continue;
    m->exclusion = grow_array(m->exclusion, m->n_exclusions + 2LL * n, sizeof *m->exclusion);
    for (int b = 1; b < n; b++) {
      m->exclusion[m->n_exclusions++] = (struct ff_exclusion){bead[0], bead[b]};
      m->exclusion[m->n_exclusions++] = (struct ff_exclusion){bead[b], bead[0]};
    }
  }
  free(bead);
  exclusions_sort(m);
}

/* The type of restraints of a set with this form and n values, made where there is none yet. */
static int restraint_type(struct forcefield *ff, int set, int form, const double *value, int n)
{
  struct ff_section *s = &ff->bonded[SECTION_restraint];
  for (int t = 0; t < s->n; t++)
    if (s->type[t].set == set && s->type[t].form == form &&
        !memcmp(s->type[t].value, value, (size_t)n * sizeof *value))
      return t;
  char name[FF_NAME];
  snprintf(name, sizeof name, "restraint %d", s->n + 1);
  const int made = forcefield_add_bonded(s, name, form, value, n);
  s->type[made].set = set;
  return made;
}

/* Flat-bottomed if a word follows the bead: [bead, shape, r, k]. */
static int parse_flat_bottomed(struct yaml_tree *yaml, int row, double value[5])
{
  const struct form_parameter *p = bonded_form_info[FORM_restraint_flat_bottomed].parameter;
  const char *word = yaml_text(yaml, yaml_item(yaml, row, 1), "");
  if (!isalpha((unsigned char)word[0])) return 0;
  const int shape = yaml_choice(yaml, yaml_item(yaml, row, 1), 0, RESTRAINT_SHAPE_WORDS);
  value[0] = yaml_real(yaml, yaml_item(yaml, row, 3), 0, p[0].low, p[0].high);
  value[1] = yaml_real(yaml, yaml_item(yaml, row, 2), 0, p[1].low, p[1].high);
  memcpy(value + 2, restraint_shapes[shape].axis, sizeof restraint_shapes[shape].axis);
  return 1;
}

/* A list of beads, each with its three force constants, one such restraint for each bead, or one
   that is flat-bottomed; of a set, from 1, or 0: none. */
static void parse_restraint_list(struct yaml_tree *yaml, struct forcefield *ff, int node,
                                 struct ff_molecule *m, int set)
{
  struct ff_terms *t = &m->bonded[SECTION_restraint];
  const struct form_parameter *k = bonded_form_info[FORM_restraint_place].parameter;
  const int rows = yaml_expect_list(yaml, node, 0, MAX_ROWS), before = t->n;
  if (rows > 0) t->term = grow_array(t->term, (long long)t->n + rows, sizeof *t->term);
  for (int n = 0; n < rows; n++) {
    const int row = yaml_item(yaml, node, n), errors = yaml_errors(yaml);
    double value[5];
    if (!yaml_expect_list(yaml, row, 4, 4)) continue;
    const int64_t bead = yaml_int(yaml, yaml_item(yaml, row, 0), 1, 1, m->n_beads);
    const int flat = parse_flat_bottomed(yaml, row, value);
    for (int d = 0; d < 3 && !flat; d++)
      value[d] = yaml_real(yaml, yaml_item(yaml, row, 1 + d), 0, k[d].low, k[d].high);
    for (int b = before; b < t->n && !flat; b++)
      if (t->term[b].bead[0] == bead - 1 &&
          ff->bonded[SECTION_restraint].type[t->term[b].type].form == FORM_restraint_place)
        yaml_add_error(yaml, row, "bead %d is restrained for the second time", (int)bead);
    if (yaml_errors(yaml) > errors) continue;
    const int type = flat ? restraint_type(ff, set, FORM_restraint_flat_bottomed, value, 5)
                          : restraint_type(ff, set, FORM_restraint_place, value, 3);
    t->term[t->n++] = (struct ff_term){type, {(int)bead - 1}};
  }
}

/* The set of a name, from 1, which is added if it is new; 0: none. */
static int restraint_set(struct yaml_tree *yaml, struct forcefield *ff, int node, const char *key)
{
  char name[FF_NAME];
  forcefield_parse_name(yaml, node, key, FORBIDDEN, name);
  const int found = restraints_find_set(ff, name);
  if (found >= 0 || !strcmp(name, FF_SET_ALWAYS)) return found + 1;
  ff->set = grow_array(ff->set, ff->n_sets + 1LL, sizeof *ff->set);
  memcpy(ff->set[ff->n_sets], name, FF_NAME);
  return ++ff->n_sets;
}

/* A list, of restraints that always act, or lists by the names of sets. */
static void parse_restraints(struct yaml_tree *yaml, struct forcefield *ff, int node,
                             struct ff_molecule *m)
{
  if (!yaml_is_map(yaml, node)) parse_restraint_list(yaml, ff, node, m, 0);
  for (int k = 0; yaml_is_map(yaml, node) && k < yaml_count(yaml, node); k++) {
    const int list = yaml_item(yaml, node, k);
    parse_restraint_list(yaml, ff, list, m, restraint_set(yaml, ff, list, yaml_key(yaml, node, k)));
  }
}

static void parse_molecules(struct yaml_tree *yaml, struct forcefield *ff)
{
  int map = section(yaml, "molecules", 0, FF_TYPES_MOST, &ff->n_molecules);
  ff->molecule = alloc_array(ff->n_molecules, sizeof *ff->molecule);
  for (int k = 0; k < ff->n_molecules; k++) {
    struct ff_molecule *m = &ff->molecule[k];
    int node = yaml_item(yaml, map, k);
    forcefield_parse_name(yaml, node, yaml_key(yaml, map, k), FORBIDDEN, m->name);
    if (!yaml_expect_map(yaml, node,
                         "beads" SECTION_KEYS
                         "|constraints|exclusions|names|residues|restraints|sites"))
      continue;
    int beads = yaml_need(yaml, node, "beads");
    m->n_beads = yaml_expect_list(yaml, beads, 1, MAX_ROWS);
    if (m->n_beads == 0) continue;
    m->bead = alloc_array(m->n_beads, sizeof *m->bead);
    for (int b = 0; b < m->n_beads; b++)
      m->bead[b] = forcefield_parse_type(yaml, ff, yaml_item(yaml, beads, b));
    for (int s = 0; s < SECTIONS_OF_FILES; s++) {
      char key[FF_NAME];
      snprintf(key, sizeof key, "%ss", bonded_section_name[s]);
      parse_molecule_terms(yaml, ff, yaml_get(yaml, node, key), m, s);
    }
    forcefield_parse_clusters(yaml, ff, node, m);
    parse_molecule_exclusions(yaml, yaml_get(yaml, node, "exclusions"), m);
    parse_restraints(yaml, ff, yaml_get(yaml, node, "restraints"), m);
    forcefield_parse_names(yaml, node, m);
  }
}

static void parse_exclusions(struct yaml_tree *yaml, struct forcefield *ff)
{
  int list = yaml_get(yaml, yaml_root(yaml), "exclude");
  ff->exclude[0] = !list; /* the default: excluded pairs of all models here */
  for (int k = 0, n = yaml_expect_list(yaml, list, 0, 3); k < n; k++)
    ff->exclude[yaml_choice(yaml, yaml_item(yaml, list, k), 0, "1-2|1-3|1-4")] = 1;
}

/* Values from the literature, which reports show beside those of a run. The program checks their
   form and uses them for nothing else. */
static void check_references(struct yaml_tree *yaml)
{
  static const char *const needed[] = {"observable", "table", "column", "unit", "system", "source"};
  int list = yaml_get(yaml, yaml_root(yaml), "reference");
  for (int k = 0, n = yaml_expect_list(yaml, list, 0, MAX_ROWS); k < n; k++) {
    int entry = yaml_item(yaml, list, k);
    if (!yaml_expect_map(yaml, entry, "observable|table|column|row|value|error|unit|system|source"))
      continue;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
      yaml_text(yaml, yaml_need(yaml, entry, needed[i]), "");
    yaml_text(yaml, yaml_get(yaml, entry, "row"), "");
    yaml_real(yaml, yaml_need(yaml, entry, "value"), 0, -1e30, 1e30);
    yaml_real(yaml, yaml_get(yaml, entry, "error"), 0, 0, 1e30);
  }
}

struct forcefield *forcefield_parse(const char *text, const char *origin)
{
  struct error_list m = {0};
  struct yaml_tree *yaml = yaml_parse(text, origin, &m);
  struct forcefield *ff = alloc_array(1, sizeof *ff);
  int root = yaml_root(yaml);
  ff->text = text_copy(text);
  if (yaml_expect_map(yaml, root,
                      "format|name|version|source|cutoff|exclude|types|pair|tables" SECTION_KEYS
                      "|molecules|reference|files")) {
    yaml_int(yaml, yaml_need(yaml, root, "format"), 1, 1, 1);
    int name = yaml_need(yaml, root, "name"), version = yaml_get(yaml, root, "version");
    forcefield_parse_name(yaml, name, yaml_text(yaml, name, "unnamed"), FORBIDDEN, ff->name);
    forcefield_parse_name(yaml, version, yaml_text(yaml, version, "0"), FORBIDDEN, ff->version);
    ff->source = text_copy(yaml_text(yaml, yaml_get(yaml, root, "source"), ""));
    ff->cutoff = yaml_real(yaml, yaml_need(yaml, root, "cutoff"), 1e3, 1e-3, 1e3);
    parse_exclusions(yaml, ff);
    parse_types(yaml, ff);
    forcefield_parse_tables(yaml, ff);
    forcefield_parse_pairs(yaml, ff);
    for (int s = 0; s < SECTIONS_OF_FILES; s++)
      parse_bonded_types(yaml, ff, s);
    forcefield_add_excluded(ff);
    parse_molecules(yaml, ff);
    check_references(yaml);
  }
  yaml_destroy(yaml);
  error_list_check(&m);
  return ff;
}
