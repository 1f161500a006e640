/* Parsing of force fields: every entry is checked, every error has its line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/choices.h"
#include "base/memory.h"
#include "base/text.h"
#include "input/forcefield_file.h"
#include "input/forcefield_parser.h"

enum {
  MAX_ROWS = 10000,        /* of beads of a molecule, and of other lists */
  MAX_TERMS = 100000,      /* of a section of a molecule */
  MAX_BONDED_TYPES = 50000 /* of a section: an elastic network has one for each bond */
};

/* "|bonds|angles" */
#define SECTION_KEY(name) "|" #name "s"
#define SECTION_KEYS BONDED_SECTIONS_OF_FILES(SECTION_KEY)

/* Copies a name, from a key or a value at a node; adds an error if it is too long. */
static void parse_name(struct forcefield_parser *p, int node, const char *name, char out[FF_NAME])
{
  size_t n = strlen(name);
  if (n == 0 || n >= FF_NAME || strpbrk(name, " \t\n,|"))
    yaml_add_error(p->tree, node, "a name has 1 to %d letters and no blanks", FF_NAME - 1);
  snprintf(out, FF_NAME, "%.*s", FF_NAME - 1, name);
}

/* The mapping under a top-level key and its number of entries, 0 if it is wrong. */
static int section(struct forcefield_parser *p, const char *key, int needed, int most, int *n)
{
  int root = yaml_root(p->tree);
  int node = needed ? yaml_need(p->tree, root, key) : yaml_get(p->tree, root, key);
  *n = yaml_expect_map(p->tree, node, NULL) ? yaml_count(p->tree, node) : 0;
  if (*n > most) {
    yaml_add_error(p->tree, node, "%d entries, but at most %d are allowed", *n, most);
    *n = 0;
  }
  return node;
}

/* Published moments of planar molecules are rounded: the largest may be a little more than the sum
   of the others. */
#define INERTIA_ROUNDING 1e-3

static void check_inertia(struct forcefield_parser *p, int node, const struct ff_type *t)
{
  const double *i = t->inertia;
  const int shape = yaml_get(p->tree, node, "shape");
  int none = i[0] == 0 && i[1] == 0 && i[2] == 0, linear = i[0] > 0 && i[0] == i[1] && i[2] == 0;
  int full = i[0] > 0 && i[1] > 0 && i[2] > 0;
  for (int d = 0; d < 3; d++)
    if (i[d] > 0 && i[d] < 1e-9)
      yaml_add_error(p->tree, node, "inertia: %g is less than 1e-9 amu nm2, and not 0", i[d]);
  if (!none && !linear && !full)
    yaml_add_error(p->tree, node, "inertia is [0, 0, 0], [I, I, 0] or three positive numbers");
  for (int d = 0; full && d < 3; d++) {
    const double rest = i[(d + 1) % 3] + i[(d + 2) % 3];
    if (i[d] > rest * (1 + INERTIA_ROUNDING))
      yaml_add_error(p->tree, node,
                     "no rigid body has the inertia [%g, %g, %g]: %g is more than the sum of the "
                     "other two, %g",
                     i[0], i[1], i[2], i[d], rest);
  }
  if (!(t->mass > 0) && !none)
    yaml_add_error(p->tree, node, "type %s turns and so needs a mass", t->name);
  if (t->dipole != 0 && none)
    yaml_add_error(p->tree, node, "a type with a dipole needs inertia [I, I, 0] or three numbers");
  if (shape && none)
    yaml_add_error(p->tree, shape,
                   "an ellipsoid turns: type %s needs inertia [I, I, 0] or three numbers", t->name);
}

/* An ellipsoid of Gay-Berne pairs. */
static void parse_shape(struct forcefield_parser *p, int node, struct ff_type *t)
{
  if (!yaml_expect_map(p->tree, node, "kappa|kappa_prime")) return;
  t->kappa = yaml_real(p->tree, yaml_need(p->tree, node, "kappa"), 1, 0.1, 10);
  t->kappa_prime = yaml_real(p->tree, yaml_need(p->tree, node, "kappa_prime"), 1, 1e-3, 1e3);
}

static void parse_types(struct forcefield_parser *p)
{
  struct forcefield *ff = p->ff;
  int map = section(p, "types", 1, FF_TYPES_MOST, &ff->n_types);
  ff->type = alloc_array(ff->n_types, sizeof *ff->type);
  if (map && ff->n_types == 0) yaml_add_error(p->tree, map, "there are no types");
  for (int k = 0; k < ff->n_types; k++) {
    struct ff_type *t = &ff->type[k];
    int node = yaml_item(p->tree, map, k);
    const int errors = yaml_errors(p->tree);
    parse_name(p, node, yaml_key(p->tree, map, k), t->name);
    if (!yaml_expect_map(p->tree, node, "mass|inertia|charge|dipole|electrons|shape")) continue;
    const int mass = yaml_need(p->tree, node, "mass");
    t->mass = yaml_real(p->tree, mass, 1, 0, 1e9);
    if (t->mass > 0 && t->mass < 1e-6)
      yaml_add_error(p->tree, mass, "%g is less than 1e-6, and not 0 as of a virtual site",
                     t->mass);
    yaml_reals(p->tree, yaml_get(p->tree, node, "inertia"), 3, t->inertia, 0, 1e9);
    t->charge = yaml_real(p->tree, yaml_get(p->tree, node, "charge"), 0, -1e3, 1e3);
    t->dipole = yaml_real(p->tree, yaml_get(p->tree, node, "dipole"), 0, 0, 1e3);
    t->electrons = yaml_real(p->tree, yaml_get(p->tree, node, "electrons"), 0, 0, 1e6);
    parse_shape(p, yaml_get(p->tree, node, "shape"), t);
    if (yaml_errors(p->tree) == errors) check_inertia(p, node, t);
  }
}

enum { KEYS_MOST = 200 };

/* The names of all forms of a section, or of the keys of a form, as "a|b". */
static void list_forms(int section, char out[KEYS_MOST])
{
  out[0] = 0;
  for (int k = 0; k < FORMS; k++)
    if ((int)bonded_form_info[k].section == section)
      snprintf(out + strlen(out), KEYS_MOST - strlen(out), "%s%s", out[0] ? "|" : "",
               bonded_form_info[k].name);
}

static void list_keys(const struct bonded_form_info *form, char out[KEYS_MOST])
{
  snprintf(out, KEYS_MOST, "form");
  for (int k = 0; form->parameter[k].name; k++)
    snprintf(out + strlen(out), KEYS_MOST - strlen(out), "|%s", form->parameter[k].name);
}

/* The form of an entry: by its place among those of the section. */
static int parse_form(struct forcefield_parser *p, int node, int section)
{
  char words[KEYS_MOST];
  list_forms(section, words);
  int place = yaml_choice(p->tree, yaml_need(p->tree, node, "form"), 0, words);
  for (int k = 0; k < FORMS; k++)
    if ((int)bonded_form_info[k].section == section && place-- == 0) return k;
  return 0;
}

static void parse_bonded_types(struct forcefield_parser *p, int section_of)
{
  struct ff_section *s = &p->ff->bonded[section_of];
  char key[FF_NAME], keys[KEYS_MOST];
  snprintf(key, sizeof key, "%ss", bonded_section_name[section_of]);
  int map = section(p, key, 0, MAX_BONDED_TYPES, &s->n);
  s->type = alloc_array(s->n, sizeof *s->type);
  for (int k = 0; k < s->n; k++) {
    struct ff_bonded *b = &s->type[k];
    int node = yaml_item(p->tree, map, k);
    parse_name(p, node, yaml_key(p->tree, map, k), b->name);
    b->form = parse_form(p, node, section_of);
    const struct bonded_form_info *form = &bonded_form_info[b->form];
    list_keys(form, keys);
    if (!yaml_expect_map(p->tree, node, keys)) continue;
    for (int n = 0; form->parameter[n].name; n++) {
      const struct bonded_parameter *a = &form->parameter[n];
      const int value =
          a->optional ? yaml_get(p->tree, node, a->name) : yaml_need(p->tree, node, a->name);
      if (!strcmp(a->unit, "integer"))
        b->value[n] =
            (double)yaml_int(p->tree, value, (int64_t)a->low, (int64_t)a->low, (int64_t)a->high);
      else
        b->value[n] = yaml_real(p->tree, value, a->optional ? 0 : a->low, a->low, a->high);
    }
  }
}

/* Reads the bead numbers of an entry, items from `first` on: from 1 in the file, from 0 in memory.
   An entry with a mistake is not kept: -1 stands for a wrong number. */
static int parse_beads(struct forcefield_parser *p, int list, int first, int n_beads, int *out)
{
  int n = yaml_count(p->tree, list) - first;
  for (int k = 0; k < n; k++) {
    out[k] = (int)yaml_int(p->tree, yaml_item(p->tree, list, first + k), 0, 1, n_beads) - 1;
    for (int m = 0; m < k; m++)
      if (out[m] == out[k] && out[k] >= 0)
        yaml_add_error(p->tree, list, "a bead stands here twice");
  }
  return n;
}

static int bonded_type(struct forcefield_parser *p, int list, int section)
{
  const struct ff_section *s = &p->ff->bonded[section];
  int node = yaml_item(p->tree, list, 0);
  const char *name = yaml_text(p->tree, node, "");
  for (int k = 0; k < s->n; k++)
    if (!strcmp(name, s->type[k].name)) return k;
  yaml_add_error(p->tree, node, "there is no %s type '%s'", bonded_section_name[section], name);
  return -1;
}

/* 1 if a term of a section joins two beads. */
static int is_joined(const struct forcefield_parser *p, const struct ff_molecule *m, int section,
                     int i, int j)
{
  const struct ff_terms *t = &m->bonded[section];
  for (int n = 0; n < t->n; n++) {
    const int *b = t->term[n].bead;
    if (!forcefield_form(p->ff, section, t->term[n].type)->joins) continue;
    if ((b[0] == i && b[1] == j) || (b[0] == j && b[1] == i)) return 1;
  }
  return 0;
}

/* Adds errors where the beads of a term, all of them good numbers, do not suit its form. Types of
   beads that are unknown have an error of their own. */
static void check_term(struct forcefield_parser *p, int list, const struct ff_molecule *m,
                       int section, const struct ff_term *term, int beads)
{
  const struct bonded_form_info *form = forcefield_form(p->ff, section, term->type);
  const struct ff_bonded *of = &p->ff->bonded[section].type[term->type];
  if (beads != form->beads)
    yaml_add_error(p->tree, list, "this %s takes %d beads", bonded_section_name[section],
                   form->beads);
  for (int k = 0; k < form->axes && k < beads; k++)
    if (bonded_takes_axis(of->form, of->value, k) && m->bead[term->bead[k]] >= 0 &&
        !forcefield_has_axis(p->ff, m->bead[term->bead[k]]))
      yaml_add_error(p->tree, list, "bead %d of this %s has no axis: it takes a dipole or a shape",
                     k + 1, bonded_section_name[section]);
  if (form->joins && is_joined(p, m, section, term->bead[0], term->bead[1]))
    yaml_add_error(p->tree, list, "these beads are bonded for the second time");
}

static void parse_molecule_terms(struct forcefield_parser *p, int node, struct ff_molecule *m,
                                 int section)
{
  struct ff_terms *t = &m->bonded[section];
  int fewest, most;
  bonded_section_beads(section, &fewest, &most);
  if (!yaml_expect_list(p->tree, node, 0, MAX_TERMS)) return;
  t->term = alloc_array(yaml_count(p->tree, node), sizeof *t->term);
  for (int k = 0; k < yaml_count(p->tree, node); k++) {
    int list = yaml_item(p->tree, node, k);
    const int errors = yaml_errors(p->tree);
    struct ff_term term = {0};
    if (!yaml_expect_list(p->tree, list, 1 + fewest, 1 + most)) continue;
    term.type = bonded_type(p, list, section);
    int beads = parse_beads(p, list, 1, m->n_beads, term.bead);
    if (yaml_errors(p->tree) == errors) check_term(p, list, m, section, &term, beads);
    if (yaml_errors(p->tree) == errors) t->term[t->n++] = term;
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
static void parse_molecule_exclusions(struct forcefield_parser *p, int node, struct ff_molecule *m)
{
  if (!yaml_expect_list(p->tree, node, 0, MAX_ROWS)) return;
  int *bead = alloc_array(m->n_beads, sizeof *bead);
  for (int k = 0; k < yaml_count(p->tree, node); k++) {
    const int list = yaml_item(p->tree, node, k);
    const int errors = yaml_errors(p->tree);
    if (!yaml_expect_list(p->tree, list, 2, m->n_beads)) continue;
    const int n = parse_beads(p, list, 0, m->n_beads, bead);
    if (yaml_errors(p->tree) > errors) continue;
    m->exclusion = grow_array(m->exclusion, m->n_exclusions + 2LL * n, sizeof *m->exclusion);
    for (int b = 1; b < n; b++) {
      m->exclusion[m->n_exclusions++] = (struct ff_exclusion){bead[0], bead[b]};
      m->exclusion[m->n_exclusions++] = (struct ff_exclusion){bead[b], bead[0]};
    }
  }
  free(bead);
  exclusions_sort(m);
}

/* The type of restraints with these constants, made where there is none yet. */
static int restraint_type(struct forcefield *ff, const double k[3])
{
  struct ff_section *s = &ff->bonded[SECTION_restraint];
  for (int t = 0; t < s->n; t++) {
    const double *value = s->type[t].value;
    if (value[0] == k[0] && value[1] == k[1] && value[2] == k[2]) return t;
  }
  s->type = grow_array(s->type, s->n + 1LL, sizeof *s->type);
  struct ff_bonded *b = &s->type[s->n];
  memset(b, 0, sizeof *b);
  snprintf(b->name, sizeof b->name, "restraint %d", s->n + 1);
  b->form = FORM_restraint_place;
  memcpy(b->value, k, 3 * sizeof *k);
  return s->n++;
}

/* A bead and its three force constants; one restraint for each bead. */
static void parse_restraints(struct forcefield_parser *p, int node, struct ff_molecule *m)
{
  struct ff_terms *t = &m->bonded[SECTION_restraint];
  const struct bonded_parameter *k = bonded_form_info[FORM_restraint_place].parameter;
  if (!yaml_expect_list(p->tree, node, 0, MAX_ROWS)) return;
  t->term = alloc_array(yaml_count(p->tree, node), sizeof *t->term);
  for (int n = 0; n < yaml_count(p->tree, node); n++) {
    const int row = yaml_item(p->tree, node, n), errors = yaml_errors(p->tree);
    double value[3];
    if (!yaml_expect_list(p->tree, row, 4, 4)) continue;
    const int64_t bead = yaml_int(p->tree, yaml_item(p->tree, row, 0), 1, 1, m->n_beads);
    for (int d = 0; d < 3; d++)
      value[d] = yaml_real(p->tree, yaml_item(p->tree, row, 1 + d), 0, k[d].low, k[d].high);
    for (int b = 0; b < t->n; b++)
      if (t->term[b].bead[0] == bead - 1)
        yaml_add_error(p->tree, row, "bead %d is restrained for the second time", (int)bead);
    if (yaml_errors(p->tree) > errors) continue;
    t->term[t->n++] = (struct ff_term){restraint_type(p->ff, value), {(int)bead - 1}};
  }
}

static void parse_molecules(struct forcefield_parser *p)
{
  struct forcefield *ff = p->ff;
  int map = section(p, "molecules", 0, FF_TYPES_MOST, &ff->n_molecules);
  ff->molecule = alloc_array(ff->n_molecules, sizeof *ff->molecule);
  for (int k = 0; k < ff->n_molecules; k++) {
    struct ff_molecule *m = &ff->molecule[k];
    int node = yaml_item(p->tree, map, k);
    parse_name(p, node, yaml_key(p->tree, map, k), m->name);
    if (!yaml_expect_map(p->tree, node,
                         "beads" SECTION_KEYS
                         "|constraints|exclusions|names|residues|restraints|sites"))
      continue;
    int beads = yaml_need(p->tree, node, "beads");
    if (!yaml_expect_list(p->tree, beads, 1, MAX_ROWS)) continue;
    m->n_beads = yaml_count(p->tree, beads);
    m->bead = alloc_array(m->n_beads, sizeof *m->bead);
    for (int b = 0; b < m->n_beads; b++)
      m->bead[b] = forcefield_parse_type(p, yaml_item(p->tree, beads, b));
    for (int s = 0; s < SECTIONS_OF_FILES; s++) {
      char key[FF_NAME];
      snprintf(key, sizeof key, "%ss", bonded_section_name[s]);
      parse_molecule_terms(p, yaml_get(p->tree, node, key), m, s);
    }
    forcefield_parse_clusters(p, node, m);
    parse_molecule_exclusions(p, yaml_get(p->tree, node, "exclusions"), m);
    parse_restraints(p, yaml_get(p->tree, node, "restraints"), m);
    forcefield_parse_names(p, node, m);
  }
}

static void parse_exclusions(struct forcefield_parser *p)
{
  int list = yaml_get(p->tree, yaml_root(p->tree), "exclude");
  p->ff->exclude[0] = !list; /* the default: excluded pairs of all models here */
  if (!yaml_expect_list(p->tree, list, 0, 3)) return;
  for (int k = 0; k < yaml_count(p->tree, list); k++)
    p->ff->exclude[yaml_choice(p->tree, yaml_item(p->tree, list, k), 0, "1-2|1-3|1-4")] = 1;
}

/* Values from the literature, which reports show beside those of a run. The program checks their
   form and uses them for nothing else. */
static void check_references(struct forcefield_parser *p)
{
  static const char *const needed[] = {"observable", "table", "column", "unit", "system", "source"};
  int list = yaml_get(p->tree, yaml_root(p->tree), "reference");
  if (!yaml_expect_list(p->tree, list, 0, MAX_ROWS)) return;
  for (int k = 0; k < yaml_count(p->tree, list); k++) {
    int entry = yaml_item(p->tree, list, k);
    if (!yaml_expect_map(p->tree, entry,
                         "observable|table|column|row|value|error|unit|system|source"))
      continue;
    for (size_t n = 0; n < sizeof needed / sizeof needed[0]; n++)
      yaml_text(p->tree, yaml_need(p->tree, entry, needed[n]), "");
    yaml_text(p->tree, yaml_get(p->tree, entry, "row"), "");
    yaml_real(p->tree, yaml_need(p->tree, entry, "value"), 0, -1e30, 1e30);
    yaml_real(p->tree, yaml_get(p->tree, entry, "error"), 0, 0, 1e30);
  }
}

struct forcefield *forcefield_parse(const char *text, const char *origin)
{
  struct error_list m = {0};
  struct forcefield_parser p = {yaml_parse(text, origin, &m), alloc_array(1, sizeof *p.ff), &m};
  int root = yaml_root(p.tree);
  p.ff->text = text_copy(text);
  if (yaml_expect_map(p.tree, root,
                      "format|name|version|source|cutoff|exclude|types|pair|tables" SECTION_KEYS
                      "|molecules|reference|files")) {
    yaml_int(p.tree, yaml_need(p.tree, root, "format"), 1, 1, 1);
    int name = yaml_need(p.tree, root, "name"), version = yaml_get(p.tree, root, "version");
    parse_name(&p, name, yaml_text(p.tree, name, "unnamed"), p.ff->name);
    parse_name(&p, version, yaml_text(p.tree, version, "0"), p.ff->version);
    p.ff->source = text_copy(yaml_text(p.tree, yaml_get(p.tree, root, "source"), ""));
    p.ff->cutoff = yaml_real(p.tree, yaml_need(p.tree, root, "cutoff"), 1e3, 1e-3, 1e3);
    parse_exclusions(&p);
    parse_types(&p);
    forcefield_parse_tables(&p);
    forcefield_parse_pairs(&p);
    for (int s = 0; s < SECTIONS_OF_FILES; s++)
      parse_bonded_types(&p, s);
    forcefield_add_excluded(p.ff);
    parse_molecules(&p);
    check_references(&p);
  }
  yaml_destroy(p.tree);
  error_list_check(&m);
  return p.ff;
}
