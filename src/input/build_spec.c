/* Parsing of SPEC.yaml: see build_spec.h. */
#include "input/build_spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/choices.h"
#include "base/log.h"
#include "base/text.h"
#include "input/forcefield_file.h"
#include "input/yaml_tree.h"

/* A bead of water stands for one molecule of H2O, whatever mass its dynamics uses: 18.0153 amu;
   1 kg/m3 is 0.602214076 amu/nm3. */
#define WATERS_PER_DENSITY (0.602214076 / 18.0153)
#define MAX_COUNT INT64_C(1000000000000)

static const char top_keys[] =
    "forcefield|seed|temperature|bilayer|water|lattice|state|replicate|minimise";

/* Index of the molecule named at a node. Adds an error if there is none, or if its size is
   wrong. */
static int find_molecule(struct yaml_tree *t, int node, const struct forcefield *ff,
                         const char *name, int one_bead)
{
  int molecule = forcefield_molecule(ff, name);
  if (molecule < 0)
    yaml_add_error(t, node,
                   "force field %s has no molecule '%s'; `lamella forcefield %s` lists them",
                   ff->name, name, ff->name);
  else if (one_bead && ff->molecule[molecule].n_beads != 1)
    yaml_add_error(t, node, "'%s' has %d beads, but only a molecule of one bead can stand here",
                   name, ff->molecule[molecule].n_beads);
  else if (!one_bead && ff->molecule[molecule].n_beads == 1)
    yaml_add_error(t, node, "'%s' is a single bead, no lipid", name);
  return molecule;
}

static void read_leaflet(struct yaml_tree *t, int node, const struct forcefield *ff,
                         struct leaflet *l)
{
  if (!yaml_expect_map(t, node, NULL)) return;
  int n = yaml_count(t, node);
  l->molecule = alloc_array(n, sizeof *l->molecule);
  l->count = alloc_array(n, sizeof *l->count);
  for (int k = 0; k < n; k++) {
    int item = yaml_item(t, node, k);
    int molecule = find_molecule(t, item, ff, yaml_key(t, node, k), 0);
    int64_t count = yaml_int(t, item, 0, 0, MAX_COUNT);
    if (molecule < 0 || count == 0) continue;
    l->molecule[l->n_kinds] = molecule;
    l->count[l->n_kinds++] = count;
    l->n_lipids += count;
  }
}

static void read_bilayer(struct yaml_tree *t, int node, struct build_spec *s)
{
  if (!yaml_expect_map(t, node, "upper|lower|water_per_lipid|area_per_lipid|water|water_density"))
    return;
  s->kind = BUILD_BILAYER;
  read_leaflet(t, yaml_get(t, node, "upper"), s->ff, &s->leaflet[0]);
  read_leaflet(t, yaml_get(t, node, "lower"), s->ff, &s->leaflet[1]);
  int64_t lipids = s->leaflet[0].n_lipids + s->leaflet[1].n_lipids;
  if (lipids == 0) yaml_add_error(t, node, "no lipids: say upper: {NAME: count}, lower: {...}");
  s->area_per_lipid = yaml_real(t, yaml_need(t, node, "area_per_lipid"), 1, 0.1, 100);
  double per_lipid = yaml_real(t, yaml_need(t, node, "water_per_lipid"), 0, 0, 1e6);
  s->n_waters = llround(per_lipid * (double)lipids);
  int water = yaml_get(t, node, "water");
  if (s->n_waters > 0)
    s->water = find_molecule(t, water ? water : node, s->ff, yaml_text(t, water, "W"), 1);
  s->water_density =
      WATERS_PER_DENSITY * yaml_real(t, yaml_get(t, node, "water_density"), 998, 1, 1e5);
}

static void read_water(struct yaml_tree *t, int node, struct build_spec *s)
{
  if (!yaml_expect_map(t, node, "count|density|molecule")) return;
  s->kind = BUILD_WATER;
  s->n_waters = yaml_int(t, yaml_need(t, node, "count"), 1, 1, MAX_COUNT);
  s->water_density = WATERS_PER_DENSITY * yaml_real(t, yaml_get(t, node, "density"), 998, 1, 1e5);
  int name = yaml_get(t, node, "molecule");
  s->water = find_molecule(t, name ? name : node, s->ff, yaml_text(t, name, "W"), 1);
}

static void read_counts(struct yaml_tree *t, int node, int count[3])
{
  double value[3] = {1, 1, 1};
  yaml_reals(t, node, 3, value, 1, 1e6);
  for (int d = 0; d < 3; d++) {
    count[d] = (int)value[d];
    if (count[d] != value[d]) yaml_add_error(t, node, "%g is not a whole number", value[d]);
  }
}

static void read_lattice(struct yaml_tree *t, int node, struct build_spec *s)
{
  if (!yaml_expect_map(t, node, "type|cells|density|molecule")) return;
  s->kind = BUILD_LATTICE;
  s->lattice = (enum lattice_type)yaml_choice(t, yaml_need(t, node, "type"), 0,
                                              CHOICES_TEXT(LATTICE_CHOICES));
  read_counts(t, yaml_need(t, node, "cells"), s->cells);
  s->density = yaml_real(t, yaml_need(t, node, "density"), 1, 1e-9, 1e6);
  int name = yaml_get(t, node, "molecule");
  const char *first = s->ff->n_molecules ? s->ff->molecule[0].name : "";
  s->molecule = find_molecule(t, name ? name : node, s->ff, yaml_text(t, name, first), 1);
}

static void read_state(struct yaml_tree *t, int node, struct build_spec *s)
{
  s->kind = BUILD_STATE;
  s->state = text_copy(yaml_text(t, node, ""));
}

static void read_minimise(struct yaml_tree *t, int root, struct build_spec *s)
{
  int node = yaml_get(t, root, "minimise");
  s->max_steps = 1000;
  s->force = 1000;
  s->minimise = s->kind == BUILD_BILAYER || s->kind == BUILD_WATER;
  if (!node) return;
  if (!yaml_is_map(t, node)) {
    s->minimise = yaml_choice(t, node, 0, "no|yes");
    return;
  }
  if (!yaml_expect_map(t, node, "max_steps|force")) return;
  s->minimise = 1;
  s->max_steps = yaml_int(t, yaml_get(t, node, "max_steps"), s->max_steps, 0, INT64_MAX);
  s->force = yaml_real(t, yaml_get(t, node, "force"), s->force, 0, 1e12);
}

/* A specification describes exactly one of the four kinds of system. */
static void read_kind(struct yaml_tree *t, int root, struct build_spec *s)
{
  static const char *const key[] = {"bilayer", "water", "lattice", "state"};
  static void (*const reader[])(struct yaml_tree *, int, struct build_spec *) = {
      read_bilayer, read_water, read_lattice, read_state};
  int found = 0;
  for (int k = 0; k < 4; k++) {
    int node = yaml_get(t, root, key[k]);
    if (!node) continue;
    if (++found > 1)
      yaml_add_error(t, node, "one of bilayer, water, lattice and state, not two");
    else
      reader[k](t, node, s);
  }
  if (!found) yaml_add_error(t, root, "what to build? One of bilayer, water, lattice, state");
}

struct build_spec *build_spec_load(const char *path)
{
  struct error_list m = {0};
  struct yaml_tree *t = yaml_load(path, &m);
  struct build_spec *s = alloc_array(1, sizeof *s);
  int root = yaml_root(t), state = yaml_get(t, root, "state");
  yaml_expect_map(t, root, top_keys);
  int name = yaml_get(t, root, "forcefield");
  if (state && name)
    yaml_add_error(t, name, "a state brings its own force field; leave this key out");
  else if (!state)
    name = yaml_need(t, root, "forcefield");
  const char *forcefield = yaml_text(t, name, "");
  if (!state && !*forcefield) error_list_check(&m);
  if (!state) s->ff = forcefield_load(forcefield);
  read_kind(t, root, s);
  s->seed = (uint64_t)yaml_int(t, yaml_get(t, root, "seed"), 1, 0, INT64_MAX);
  double rest = s->kind == BUILD_STATE ? -1 : 303;
  s->temperature = yaml_real(t, yaml_get(t, root, "temperature"), rest, 0, 1e6);
  read_counts(t, yaml_get(t, root, "replicate"), s->replicate);
  read_minimise(t, root, s);
  error_list_check(&m);
  yaml_destroy(t);
  return s;
}

void build_spec_destroy(struct build_spec *s)
{
  if (!s) return;
  for (int side = 0; side < 2; side++) {
    free(s->leaflet[side].molecule);
    free(s->leaflet[side].count);
  }
  free(s->state);
  forcefield_destroy(s->ff);
  free(s);
}
