#include "input/group_reader.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"
#include "base/text.h"
#include "input/group_use.h"
#include "model/heat_bath.h"

/* Names of groups that contain each other, from the innermost. */
struct within {
  const char *name;
  const struct within *outer;
};

struct reader {
  struct yaml_tree *t;
  const struct params *p;
  const struct forcefield *ff;
  int64_t n_total;
  int words; /* what a word may be beside the name of a group: WORDS_TYPES, WORDS_MOLECULES */
  const struct within *within;
  int *is_cycle; /* becomes 1 if a group contains itself */
};

static void read_choice(const struct reader *r, int node, struct bead_choice *c);

/* Names */

/* What a list of names chooses from, as entries with a name each: bead types, molecule types, or
   all beads of molecule types after the bead types. */
struct labels {
  int n;
  const char **name;
  int *number; /* of residues; 0: of none */
};

static struct labels labels_of_types(const struct forcefield *ff)
{
  struct labels l = {ff->n_types, alloc_array(ff->n_types, sizeof *l.name), NULL};
  for (int k = 0; k < l.n; k++)
    l.name[k] = ff->type[k].name;
  return l;
}

static struct labels labels_of_molecules(const struct forcefield *ff)
{
  struct labels l = {ff->n_molecules, alloc_array(ff->n_molecules, sizeof *l.name), NULL};
  for (int k = 0; k < l.n; k++)
    l.name[k] = ff->molecule[k].name;
  return l;
}

/* The names of beads, or of their residues as files have them (molecules/bead_place.h). Sets
   c->first. */
static struct labels labels_of_places(const struct forcefield *ff, int residues,
                                      struct bead_choice *c)
{
  struct labels l = labels_of_types(ff);
  c->first = alloc_array(ff->n_molecules, sizeof *c->first);
  for (int m = 0; m < ff->n_molecules; l.n += ff->molecule[m++].n_beads)
    c->first[m] = l.n;
  l.name = grow_array(l.name, l.n, sizeof *l.name);
  l.number = alloc_array(l.n, sizeof *l.number);
  for (int m = 0; m < ff->n_molecules; m++) {
    const struct ff_molecule *molecule = &ff->molecule[m];
    const char **name = l.name + c->first[m];
    for (int k = 0, at = -1; k < molecule->n_beads; k++) {
      while (at + 1 < molecule->n_residues && molecule->residue[at + 1].first <= k)
        at++;
      if (residues)
        name[k] = at < 0 ? molecule->name : molecule->residue[at].name;
      else
        name[k] = molecule->bead_name ? molecule->bead_name[k] : ff->type[molecule->bead[k]].name;
      if (molecule->n_residues > 1 && at >= 0)
        l.number[c->first[m] + k] = molecule->residue[at].number;
    }
  }
  return l;
}

/* "BEGIN A, B, C", each once, as many as there is room for. */
static void known_text(const struct labels *l, const char *begin, char text[200])
{
  size_t at = (size_t)snprintf(text, 200, "%s", l->n ? begin : "");
  for (int k = 0, n = 0; k < l->n; k++) {
    int before = 0;
    for (int j = 0; j < k && !before; j++)
      before = !strcmp(l->name[j], l->name[k]);
    if (before) continue;
    if (at + strlen(l->name[k]) + 8 > 200) {
      snprintf(text + at, 200 - at, ", ...");
      return;
    }
    at += (size_t)snprintf(text + at, 200 - at, "%s %s", n++ ? "," : "", l->name[k]);
  }
}

/* Marks the entries of a name; an error if there are none. */
static void take_name(const struct reader *r, const struct labels *l, const char *what, int node,
                      char *in)
{
  const char *name = yaml_text(r->t, node, NULL);
  struct nearest near = {{0}, 0};
  char hint[96], known[200];
  int found = !name;
  for (int k = 0; name && k < l->n; k++) {
    if (strcmp(l->name[k], name) != 0) continue;
    in[k] = 1;
    found = 1;
  }
  if (found) return;
  for (int k = 0; k < l->n; k++)
    nearest_offer(&near, name, l->name[k]);
  known_text(l, "; it has", known);
  yaml_add_error(r->t, node, "the force field has no %s '%.60s'%s%s", what, name, known,
                 nearest_text(&near, hint));
}

/* Marks the residues of the numbers low to high. */
static void take_numbers(const struct reader *r, const struct labels *l, int node, int64_t low,
                         int64_t high, char *in)
{
  int found = 0;
  for (int k = 0; k < l->n; k++) {
    if (l->number[k] < low || l->number[k] > high || l->number[k] == 0) continue;
    in[k] = 1;
    found = 1;
  }
  if (!found)
    yaml_add_error(r->t, node,
                   "no molecule type of the force field has a residue of that number (molecules "
                   "of one residue have none, and those of a .gro file are not meant)");
}

/* An entry of a list `residues`: a name, a number, or the first and the last of several. */
static void take_residue(const struct reader *r, const struct labels *l, int node, char *in)
{
  int64_t low, high;
  if (yaml_is_list(r->t, node)) {
    if (!yaml_expect_list(r->t, node, 2, 2)) return;
    low = yaml_int(r->t, yaml_item(r->t, node, 0), 0, INT32_MIN, INT32_MAX);
    high = yaml_int(r->t, yaml_item(r->t, node, 1), 0, low, INT32_MAX);
    take_numbers(r, l, node, low, high, in);
  } else if (parse_int(yaml_text(r->t, node, ""), &low))
    take_numbers(r, l, node, low, low, in);
  else
    take_name(r, l, "residue", node, in);
}

/* Reads a list of names, or one. */
static void read_names(const struct reader *r, int node, struct labels l, const char *what,
                       int residues, struct bead_choice *c)
{
  const int list = yaml_is_list(r->t, node), n = list ? yaml_count(r->t, node) : 1;
  c->in = alloc_array(l.n, 1);
  if (n == 0) yaml_add_error(r->t, node, "the list is empty");
  for (int k = 0; k < n; k++) {
    const int item = list ? yaml_item(r->t, node, k) : node;
    if (residues)
      take_residue(r, &l, item, c->in);
    else
      take_name(r, &l, what, item, c->in);
  }
  free(l.name);
  free(l.number);
}

static void read_types(const struct reader *r, int node, struct bead_choice *c)
{
  c->kind = CHOOSE_TYPES;
  read_names(r, node, labels_of_types(r->ff), "bead type", 0, c);
}

static void read_molecules(const struct reader *r, int node, struct bead_choice *c)
{
  c->kind = CHOOSE_MOLECULES;
  read_names(r, node, labels_of_molecules(r->ff), "molecule type", 0, c);
}

static void read_residues(const struct reader *r, int node, struct bead_choice *c)
{
  c->kind = CHOOSE_PLACES;
  read_names(r, node, labels_of_places(r->ff, 1, c), "residue", 1, c);
}

static void read_bead_names(const struct reader *r, int node, struct bead_choice *c)
{
  c->kind = CHOOSE_PLACES;
  read_names(r, node, labels_of_places(r->ff, 0, c), "bead name", 0, c);
}

/* Others */

/* The range of a list [FIRST, LAST], or of one id. */
static void read_range(const struct reader *r, int node, int64_t range[2])
{
  range[0] = range[1] = 1;
  const char *text = yaml_is_list(r->t, node) ? NULL : yaml_text(r->t, node, NULL);
  int64_t id;
  if (text && !parse_int(text, &id)) {
    yaml_add_error(r->t, node, "'%.60s' is not a number; several are [FIRST, LAST]", text);
  } else if (!yaml_is_list(r->t, node)) {
    range[0] = range[1] = yaml_int(r->t, node, 1, 1, r->n_total);
  } else if (yaml_expect_list(r->t, node, 2, 2)) {
    range[0] = yaml_int(r->t, yaml_item(r->t, node, 0), 1, 1, r->n_total);
    range[1] = yaml_int(r->t, yaml_item(r->t, node, 1), r->n_total, range[0], r->n_total);
  }
}

/* [FIRST, LAST]; or a list of these and of ids, or one id. */
static void read_ids(const struct reader *r, int node, struct bead_choice *c)
{
  const int n = yaml_count(r->t, node), list = yaml_is_list(r->t, node);
  const int one = !list || (n == 2 && !yaml_is_list(r->t, yaml_item(r->t, node, 0)) &&
                            !yaml_is_list(r->t, yaml_item(r->t, node, 1)));
  c->kind = CHOOSE_IDS;
  c->range = alloc_array(one ? 1 : n, sizeof *c->range);
  if (!one && n == 0) yaml_add_error(r->t, node, "the list is empty");
  for (int k = 0; k < (one ? 1 : n); k++)
    read_range(r, one ? node : yaml_item(r->t, node, k), c->range[k]);
  c->n_ranges = ranges_join(c->range, one ? 1 : n);
}

/* What states call a choice that depends on the start. */
static void set_text(const struct reader *r, const char *key, int node, struct bead_choice *c)
{
  char *value = yaml_flow_text(r->t, node), *text = text_format("{%s: %s}", key, value);
  c->text = yaml_meaning(text);
  free(value);
  free(text);
}

static void read_leaflet(const struct reader *r, int node, struct bead_choice *c)
{
  c->kind = CHOOSE_LEAFLET;
  c->leaflet = yaml_choice(r->t, node, 0, "upper|lower") == 0 ? 1 : -1;
  set_text(r, "leaflet", node, c);
}

static void read_region(const struct reader *r, int node, struct bead_choice *c)
{
  static const char *const axis[] = {"x", "y", "z"};
  c->kind = CHOOSE_REGION;
  set_text(r, "region", node, c);
  if (!yaml_expect_map(r->t, node, "x|y|z")) return;
  if (yaml_count(r->t, node) == 0)
    yaml_add_error(r->t, node, "along which axis? Write {z: [LOW, HIGH]}, nm");
  for (int d = 0; d < 3; d++) {
    const int limits = yaml_get(r->t, node, axis[d]);
    double value[2] = {0, 1};
    if (!limits) continue;
    yaml_reals(r->t, limits, 2, value, -1e6, 1e6);
    if (!(value[0] < value[1]))
      yaml_add_error(r->t, limits, "the region from %g to %g nm is empty", value[0], value[1]);
    c->axes |= 1 << d;
    c->low[d] = value[0];
    c->high[d] = value[1];
  }
}

static void read_index(const struct reader *r, int node, struct bead_choice *c)
{
  c->kind = CHOOSE_INDEX;
  set_text(r, "ndx", node, c);
  yaml_expect_map(r->t, node, "file|group");
  c->file = text_copy(yaml_text(r->t, yaml_need(r->t, node, "file"), ""));
  c->name = text_copy(yaml_text(r->t, yaml_need(r->t, node, "group"), ""));
}

static void read_any(const struct reader *r, int node, struct bead_choice *c)
{
  c->kind = CHOOSE_ANY_OF;
  c->n = yaml_expect_list(r->t, node, 1, 1000);
  c->part = alloc_array(c->n, sizeof *c->part);
  for (int k = 0; k < c->n; k++)
    read_choice(r, yaml_item(r->t, node, k), &c->part[k]);
}

static void read_not(const struct reader *r, int node, struct bead_choice *c)
{
  c->kind = CHOOSE_NONE_OF;
  c->n = 1;
  c->part = alloc_array(1, sizeof *c->part);
  read_choice(r, node, c->part);
}

/* Words */

/* "; 'PO4' is the name of a bead of DPPC", or of what else: 0 if a word is nothing of that. */
static int other_name_text(const struct forcefield *ff, const char *word, char text[200])
{
  int64_t id;
  if (parse_int(word, &id))
    return snprintf(text, 200, "; a bead of a number is {ids: %.23s}", word);
  if (forcefield_molecule(ff, word) >= 0)
    return snprintf(text, 200, "; '%.23s' is a molecule type: write {molecules: [%.23s]}", word,
                    word);
  for (int m = 0; m < ff->n_molecules; m++) {
    const struct ff_molecule *molecule = &ff->molecule[m];
    for (int k = 0; molecule->bead_name && k < molecule->n_beads; k++)
      if (!strcmp(molecule->bead_name[k], word)) {
        snprintf(text, 200,
                 "; '%.23s' is the name of a bead of %.23s, of type '%.23s': write {names: "
                 "[%.23s]}",
                 word, molecule->name, ff->type[molecule->bead[k]].name, word);
        return 1;
      }
  }
  if (forcefield_type(ff, word) >= 0)
    return snprintf(text, 200, "; '%.23s' is a bead type: write {types: [%.23s]}", word, word);
  return 0;
}

static void unknown_word(const struct reader *r, int node, const char *name,
                         const struct params_value *v)
{
  static const char *const also[] = {"", "bead type or ", "molecule type or ",
                                     "bead type, molecule type or "};
  const int groups = yaml_is_map(v->tree, v->node) ? yaml_count(v->tree, v->node) : 0,
            types = r->words & WORDS_TYPES ? r->ff->n_types : 0,
            molecules = r->words & WORDS_MOLECULES ? r->ff->n_molecules : 0;
  struct labels known = {0, alloc_array(groups + types + molecules, sizeof *known.name), NULL};
  struct nearest near = {{0}, 0};
  char hint[96], text[200];
  for (int k = 0; k < groups; k++)
    known.name[known.n++] = yaml_key(v->tree, v->node, k);
  for (int k = 0; k < types; k++)
    known.name[known.n++] = r->ff->type[k].name;
  for (int k = 0; k < molecules; k++)
    known.name[known.n++] = r->ff->molecule[k].name;
  for (int k = 0; k < known.n; k++)
    nearest_offer(&near, name, known.name[k]);
  if (!other_name_text(r->ff, name, text)) known_text(&known, "; there are", text);
  yaml_add_error(r->t, node, "there is no %sgroup '%.60s'%s%s%s", also[r->words], name,
                 groups ? "" : ", as the run file has no `groups`", text,
                 nearest_text(&near, hint));
  free(known.name);
}

/* Beads of a type and of a molecule type, -1: of none. */
static void choose_kinds(const struct forcefield *ff, int type, int molecule, struct bead_choice *c)
{
  c->kind = CHOOSE_ANY_OF;
  c->part = alloc_array(2, sizeof *c->part);
  if (type >= 0) {
    c->part[c->n] = (struct bead_choice){.kind = CHOOSE_TYPES, .in = alloc_array(ff->n_types, 1)};
    c->part[c->n++].in[type] = 1;
  }
  if (molecule >= 0) {
    c->part[c->n] =
        (struct bead_choice){.kind = CHOOSE_MOLECULES, .in = alloc_array(ff->n_molecules, 1)};
    c->part[c->n++].in[molecule] = 1;
  }
}

static void read_word(const struct reader *r, int node, struct bead_choice *c)
{
  const char *name = yaml_text(r->t, node, NULL);
  const struct within within = {name, r->within};
  struct params_value v = {0};
  if (name && !name[0]) yaml_add_error(r->t, node, "a name is missing");
  if (!name || !name[0]) return;
  const int type = r->words & WORDS_TYPES ? forcefield_type(r->ff, name) : -1,
            molecule = r->words & WORDS_MOLECULES ? forcefield_molecule(r->ff, name) : -1;
  for (const struct within *w = r->within; w; w = w->outer)
    *r->is_cycle |= !strcmp(w->name, name);
  if (r->p && !*r->is_cycle) params_open(&v, r->p, "groups");
  const int found = v.tree ? yaml_get(v.tree, v.node, name) : 0;
  if (found && (type >= 0 || molecule >= 0))
    yaml_add_error(r->t, node, "'%.60s' is a group and a %s type: give the group another name",
                   name, type >= 0 ? "bead" : "molecule");
  else if (found) {
    const struct reader inner = {v.tree, r->p, r->ff, r->n_total, 0, &within, r->is_cycle};
    read_choice(&inner, found, c);
  } else if (type >= 0 || molecule >= 0)
    choose_kinds(r->ff, type, molecule, c);
  else if (!*r->is_cycle)
    unknown_word(r, node, name, &v);
  if (*r->is_cycle)
    yaml_add_error(r->t, node, "the group '%.60s' is made of itself", name);
  else if (v.errors.count)
    yaml_add_error(r->t, node, "the group '%.60s' has mistakes", name);
  error_list_free(&v.errors);
  if (v.tree) yaml_destroy(v.tree);
}

static void read_group(const struct reader *r, int node, struct bead_choice *c)
{
  struct reader named = *r;
  named.words = 0;
  read_word(&named, node, c);
}

static void read_choice(const struct reader *r, int node, struct bead_choice *c)
{
  static const struct {
    const char *key;
    void (*read)(const struct reader *, int, struct bead_choice *);
  } key[] = {{"types", read_types},       {"molecules", read_molecules},
             {"residues", read_residues}, {"names", read_bead_names},
             {"ids", read_ids},           {"leaflet", read_leaflet},
             {"region", read_region},     {"ndx", read_index},
             {"any", read_any},           {"not", read_not},
             {"group", read_group}};
  enum { KEYS = sizeof key / sizeof *key };
  char keys[128] = "";
  for (int k = 0; k < KEYS; k++)
    word_list_add(keys, sizeof keys, key[k].key);
  c->kind = CHOOSE_ALL_OF;
  if (!yaml_is_map(r->t, node) && !yaml_is_list(r->t, node)) {
    read_word(r, node, c);
    return;
  }
  if (!yaml_expect_map(r->t, node, keys)) return;
  c->part = alloc_array(KEYS, sizeof *c->part);
  for (int k = 0; k < KEYS; k++) {
    const int value = yaml_get(r->t, node, key[k].key);
    if (value) key[k].read(r, value, &c->part[c->n++]);
  }
}

static void read_at(const struct reader *r, int node, struct bead_group *g)
{
  const int is_word = !yaml_is_map(r->t, node) && !yaml_is_list(r->t, node);
  char *path = yaml_path(r->t, node), *word = yaml_flow_text(r->t, node);
  g->origin = text_copy(yaml_origin(r->t));
  g->line = yaml_line(r->t, node);
  g->path = text_format("%s%s%s%s", path[0] ? path : "selection", is_word ? " (" : "",
                        is_word ? word : "", is_word ? ")" : "");
  free(path);
  free(word);
  read_choice(r, node, &g->choice);
}

void bead_group_read_words(struct yaml_tree *t, int node, int words, const struct params *p,
                           const struct forcefield *ff, int64_t n_total, struct bead_group *g)
{
  int is_cycle = 0;
  const struct reader r = {t, p, ff, n_total, words, NULL, &is_cycle};
  if (node) read_at(&r, node, g);
}

void bead_group_read(struct yaml_tree *t, int node, const struct params *p,
                     const struct forcefield *ff, int64_t n_total, struct bead_group *g)
{
  bead_group_read_words(t, node, 0, p, ff, n_total, g);
}

void bead_group_read_text(const char *text, const char *origin, int words, const struct params *p,
                          const struct forcefield *ff, int64_t n_total, struct bead_group *g,
                          struct error_list *m)
{
  char *yaml = group_words_yaml(text);
  struct yaml_tree *t = yaml_parse(yaml, origin, m);
  bead_group_read_words(t, yaml[0] ? yaml_root(t) : 0, words, p, ff, n_total, g);
  yaml_destroy(t);
  free(yaml);
}

struct named_group *named_groups_read(const struct params *p, const struct forcefield *ff,
                                      int64_t n_total, int *n)
{
  struct params_value v = {0};
  params_open(&v, p, "groups");
  const int is_map = yaml_is_map(v.tree, v.node);
  const int empty = yaml_is_list(v.tree, v.node) && yaml_count(v.tree, v.node) == 0; /* default */
  if (!is_map && !empty) yaml_expect_map(v.tree, v.node, NULL);
  *n = is_map ? yaml_count(v.tree, v.node) : 0;
  if (*n > NAMED_GROUPS_MOST) {
    yaml_add_error(v.tree, v.node, "%d groups, but at most %d are possible", *n, NAMED_GROUPS_MOST);
    *n = 0;
  }
  struct named_group *all = alloc_array(*n, sizeof *all);
  for (int k = 0; k < *n; k++) {
    const int node = yaml_item(v.tree, v.node, k);
    const struct within within = {yaml_key(v.tree, v.node, k), NULL};
    int is_cycle = 0;
    const struct reader r = {v.tree, p, ff, n_total, 0, &within, &is_cycle};
    all[k].name = text_copy(within.name);
    if (!heat_bath_is_name(all[k].name))
      yaml_add_error(v.tree, node, "a name has at most %d letters, digits and characters of _-+.",
                     HEAT_BATH_NAME - 1);
    read_at(&r, node, &all[k].group);
  }
  params_close(&v);
  return all;
}

void named_groups_destroy(struct named_group *group, int n)
{
  for (int k = 0; k < n; k++) {
    free(group[k].name);
    bead_group_free(&group[k].group);
  }
  free(group);
}
