#include "input/build_spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/choices.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "input/forcefield_file.h"
#include "input/forcefield_parser.h"
#include "input/run_lists.h"

#define MAX_COUNT INT64_C(1000000000000)

static const char top_keys[] =
    "forcefield|seed|temperature|bilayer|water|lattice|state|replicate|minimise";

/* The molecule of one bead that a key of a mapping names. Without the key: the only such molecule
   of the force field. */
static int find_single(struct yaml_tree *t, int map, const char *key, const struct forcefield *ff)
{
  int node = yaml_get(t, map, key);
  int found = node ? forcefield_parse_molecule(t, ff, node, yaml_text(t, node, "")) : -1, n = 0;
  if (found >= 0 && ff->molecule[found].n_beads != 1)
    yaml_add_error(t, node, "'%s' has %d beads, but only a molecule of one bead can stand here",
                   ff->molecule[found].name, ff->molecule[found].n_beads);
  if (node) return found;
  for (int k = ff->n_molecules - 1; k >= 0; k--)
    if (ff->molecule[k].n_beads == 1) {
      found = k;
      n++;
    }
  if (n == 0) yaml_add_error(t, map, "force field %s has no molecule of one bead", ff->name);
  if (n > 1)
    yaml_add_error(t, map, "force field %s has %d molecules of one bead: name one with '%s'",
                   ff->name, n, key);
  return found;
}

static const struct ff_type *single_type(const struct forcefield *ff, int molecule)
{
  return &ff->type[ff->molecule[molecule].bead[0]];
}

/* The molecule that stands for water. */
static int find_water(struct yaml_tree *t, int map, const char *key, const struct forcefield *ff)
{
  int molecule = find_single(t, map, key, ff);
  if (molecule >= 0 && ff->molecule[molecule].n_beads == 1 && single_type(ff, molecule)->kappa > 0)
    yaml_add_error(t, yaml_get(t, map, key) ? yaml_get(t, map, key) : map,
                   "'%s' is an ellipsoid, no water; lattice builds fluids of ellipsoids",
                   ff->molecule[molecule].name);
  return molecule;
}

/* Beads of water per nm3 at a density, kg/m3. */
static double water_beads(const struct forcefield *ff, int water, double density)
{
  return density * UNITS_WATERS_PER_DENSITY / (water < 0 ? 1 : forcefield_waters(ff, water));
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
    int molecule = forcefield_parse_lipid(t, ff, item, yaml_key(t, node, k));
    int64_t count = yaml_int(t, item, 0, 0, MAX_COUNT);
    if (molecule < 0 || count == 0) continue;
    l->molecule[l->n_molecules] = molecule;
    l->count[l->n_molecules++] = count;
    l->n_lipids += count;
  }
}

static void read_bilayer(struct yaml_tree *t, int node, struct build_spec *s)
{
  if (!yaml_expect_map(
          t, node, "upper|lower|water_per_lipid|area_per_lipid|water|water_density|height|shape"))
    return;
  s->kind = BUILD_BILAYER;
  read_leaflet(t, yaml_get(t, node, "upper"), s->ff, &s->leaflet[0]);
  read_leaflet(t, yaml_get(t, node, "lower"), s->ff, &s->leaflet[1]);
  int64_t lipids = s->leaflet[0].n_lipids + s->leaflet[1].n_lipids;
  if (lipids == 0) yaml_add_error(t, node, "no lipids: say upper: {NAME: count}, lower: {...}");
  s->area_per_lipid = yaml_real(t, yaml_need(t, node, "area_per_lipid"), 1, 0.1, 100);
  s->shape = (enum shape)yaml_choice(t, yaml_get(t, node, "shape"), SHAPE_SQUARE,
                                     CHOICES_TEXT(SHAPE_CHOICES));
  s->height = yaml_real(t, yaml_get(t, node, "height"), 0, YAML_POSITIVE, 1e6);
  double per_lipid = yaml_real(t, yaml_need(t, node, "water_per_lipid"), 0, 0, 1e6);
  s->n_waters = llround(per_lipid * (double)lipids);
  s->water = s->n_waters > 0 ? find_water(t, node, "water", s->ff) : -1;
  s->water_density =
      water_beads(s->ff, s->water, yaml_real(t, yaml_get(t, node, "water_density"), 998, 1, 1e5));
}

static void read_water(struct yaml_tree *t, int node, struct build_spec *s)
{
  if (!yaml_expect_map(t, node, "count|density|molecule")) return;
  s->kind = BUILD_WATER;
  s->n_waters = yaml_int(t, yaml_need(t, node, "count"), 1, 1, MAX_COUNT);
  s->water = find_water(t, node, "molecule", s->ff);
  s->water_density =
      water_beads(s->ff, s->water, yaml_real(t, yaml_get(t, node, "density"), 998, 1, 1e5));
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

static void read_orientation(struct yaml_tree *t, int node, struct build_spec *s)
{
  int orientation = yaml_get(t, node, "orientation"), axis = yaml_get(t, node, "axis");
  s->orientation = (enum orientation)yaml_choice(t, orientation, ORIENTATION_RANDOM,
                                                 CHOICES_TEXT(ORIENTATION_CHOICES));
  s->axis = yaml_choice(t, axis, 2, "x|y|z");
  if (axis && s->orientation != ORIENTATION_ALIGNED)
    yaml_add_error(t, axis, "only with orientation: aligned");
  if (!orientation || s->molecule < 0 || s->ff->molecule[s->molecule].n_beads != 1) return;
  const struct ff_type *type = single_type(s->ff, s->molecule);
  if (type->inertia[0] == 0 && type->inertia[1] == 0 && type->inertia[2] == 0)
    yaml_add_error(t, orientation, "'%s' has no moment of inertia, so no orientation",
                   s->ff->molecule[s->molecule].name);
}

static void read_lattice(struct yaml_tree *t, int node, struct build_spec *s)
{
  if (!yaml_expect_map(t, node, "type|cells|density|molecule|orientation|axis")) return;
  s->kind = BUILD_LATTICE;
  s->lattice = (enum lattice_type)yaml_choice(t, yaml_need(t, node, "type"), 0,
                                              CHOICES_TEXT(LATTICE_CHOICES));
  read_counts(t, yaml_need(t, node, "cells"), s->cells);
  s->density = yaml_real(t, yaml_need(t, node, "density"), 1, 1e-9, 1e6);
  s->molecule = find_single(t, node, "molecule", s->ff);
  read_orientation(t, node, s);
}

/* The density of a section: "spec.yaml:4: lattice.density"; caller frees. */
static char *describe_density(struct yaml_tree *t, int root, const char *section, const char *path)
{
  const int node = yaml_get(t, root, section), density = yaml_get(t, node, "density");
  return text_format("%s:%d: %s.density", path, yaml_line(t, density ? density : node), section);
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
  if (!yaml_expect_map(t, node, "max_steps|force|soft")) return;
  s->minimise = 1;
  s->max_steps = yaml_int(t, yaml_get(t, node, "max_steps"), s->max_steps, 0, INT64_MAX);
  s->force = yaml_real(t, yaml_get(t, node, "force"), s->force, 0, 1e12);
  s->soft = soft_lambdas_parse(t, yaml_get(t, node, "soft"));
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
  s->forcefield = text_copy(forcefield);
  if (!state && !*forcefield) error_list_check(&m);
  if (!state) s->ff = forcefield_load(forcefield);
  read_kind(t, root, s);
  s->seed = (uint64_t)yaml_int(t, yaml_get(t, root, "seed"), 1, 0, INT64_MAX);
  double rest = s->kind == BUILD_STATE ? -1 : 303;
  s->temperature = yaml_real(t, yaml_get(t, root, "temperature"), rest, 0, 1e6);
  read_counts(t, yaml_get(t, root, "replicate"), s->replicate);
  read_minimise(t, root, s);
  error_list_check(&m);
  if (s->kind == BUILD_LATTICE) s->where = describe_density(t, root, "lattice", path);
  if (s->kind == BUILD_WATER) s->where = describe_density(t, root, "water", path);
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
  free(s->forcefield);
  free(s->where);
  forcefield_destroy(s->ff);
  free(s);
}
