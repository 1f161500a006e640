/* Starting configurations of a bilayer and of water. Each leaflet is a layer of evenly spread sites
   that are assigned to its lipids in random order. A lipid gets a random rotation about the normal
   and a small shift, and is compressed along the normal until the leaflet has the volume of its
   lipids. Water fills layers between the head groups. */
#include "setup/build.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/portable.h"
#include "base/rng.h"
#include "base/units.h"
#include "model/place.h"
#include "setup/lipid.h"

#define MIN_SQUEEZE                                                                                \
  0.5               /* smallest compressed length over full length: keeps second neighbours apart */
#define JITTER 0.04 /* largest shift over the spacing of lipids */
#define CONTACT 0.6 /* closest approach of water and head groups over sigma */

/* The lipids of one type in one leaflet. */
struct group {
  int side; /* 0 upper, 1 lower */
  int molecule;
  int64_t count;
  int64_t first_id, first_molecule, first_in_leaflet;
  int first_env;
  double squeeze;
  struct lipid lipid;
};

struct bilayer {
  const struct build_spec *spec;
  int n_groups;
  struct group *group;
  int64_t lipid_beads, n_lipids;
  double edge[2];      /* ax and by of the box, nm */
  double half[2];      /* distance of the heads of each leaflet from the midplane */
  double water_bottom; /* lower end of the water, above the midplane */
  double water_depth;
};

static void add_groups(struct bilayer *b, int side, const struct forcefield *ff, double area)
{
  const struct leaflet *l = &b->spec->leaflet[side];
  int64_t in_leaflet = 0;
  for (int k = 0; k < l->n_molecules; k++) {
    struct group *g = &b->group[b->n_groups++];
    g->side = side;
    g->molecule = l->molecule[k];
    g->count = l->count[k];
    g->first_id = 1 + b->lipid_beads;
    g->first_molecule = 1 + b->n_lipids;
    g->first_in_leaflet = in_leaflet;
    lipid_set(&g->lipid, ff, g->molecule, area / (double)l->n_lipids);
    in_leaflet += g->count;
    b->n_lipids += g->count;
    b->lipid_beads += place_count_product(g->count, g->lipid.n_beads, "lipid beads");
  }
}

/* Distance of the heads from the midplane, and the compression of each type. */
static void set_height(struct bilayer *b, int side, double area)
{
  double volume = 0, longest = 0, gap = 0;
  for (int k = 0; k < b->n_groups; k++) {
    const struct group *g = &b->group[k];
    gap = fmax(gap, 0.5 * g->lipid.tip);
    if (g->side != side) continue;
    volume += (double)g->count * g->lipid.volume;
    longest = fmax(longest, g->lipid.length);
  }
  double depth = fmax(volume / area - gap, MIN_SQUEEZE * longest);
  b->half[side] = volume > 0 ? gap + fmin(depth, longest) : gap;
  for (int k = 0; k < b->n_groups; k++) {
    struct group *g = &b->group[k];
    if (g->side == side) g->squeeze = fmin(1, (b->half[side] - gap) / g->lipid.length);
  }
}

/* Largest shift of a lipid of a leaflet along each axis, nm, in either direction. */
static double jitter(const struct bilayer *b, int side)
{
  int64_t lipids = b->spec->leaflet[side].n_lipids;
  return lipids ? JITTER * sqrt(b->edge[0] * b->edge[1] / (double)lipids) : 0;
}

static void set_water(struct bilayer *b, const struct forcefield *ff, double area)
{
  double sigma = 0, first[3] = {0};
  int64_t waters = b->spec->n_waters;
  for (int k = 0; k < b->n_groups; k++) {
    int head = ff->molecule[b->group[k].molecule].bead[0];
    int other = waters ? ff->molecule[b->spec->water].bead[0] : head;
    sigma = fmax(sigma, ff->pair[head * ff->n_types + other].sigma);
  }
  b->water_depth = waters ? (double)waters / (b->spec->water_density * area) : 0;
  double edge[3] = {b->edge[0], b->edge[1], b->water_depth};
  if (waters) place_in_slab(waters, 0, edge, first);
  double away = CONTACT * sigma + fmax(jitter(b, 0), jitter(b, 1));
  b->water_bottom = b->half[0] + fmax(0, away - first[2]);
}

static void bilayer_set(struct bilayer *b, const struct build_spec *spec)
{
  const struct leaflet *l = spec->leaflet;
  double fuller = (double)(l[0].n_lipids > l[1].n_lipids ? l[0].n_lipids : l[1].n_lipids);
  double area = fuller * spec->area_per_lipid;
  *b = (struct bilayer){.spec = spec};
  b->group = alloc_array(l[0].n_molecules + l[1].n_molecules, sizeof *b->group);
  b->edge[0] = b->edge[1] = sqrt(area);
  if (spec->shape == SHAPE_HEXAGONAL) {
    b->edge[0] = sqrt(area * 2 / sqrt(3.0));
    b->edge[1] = b->edge[0] * sqrt(3.0) / 2;
  }
  for (int side = 0; side < 2; side++)
    add_groups(b, side, spec->ff, area);
  for (int side = 0; side < 2; side++)
    set_height(b, side, area);
  set_water(b, spec->ff, area);
}

/* Adds the bonded environments of each molecule type once, and tells every group where they
   begin. */
static void set_envs(struct bilayer *b, struct system *s)
{
  for (int k = 0; k < b->n_groups; k++) {
    struct group *g = &b->group[k];
    g->first_env = -1;
    for (int before = 0; before < k && g->first_env < 0; before++)
      if (b->group[before].molecule == g->molecule) g->first_env = b->group[before].first_env;
    if (g->first_env < 0) g->first_env = topology_add_molecule(&s->topology, s->ff, g->molecule);
  }
}

/* Position of bead 1 of a lipid, and its rotation about the normal. */
struct pose {
  double x[3], cos_angle, sin_angle;
};

static struct pose find_pose(const struct bilayer *b, const struct system *s, const struct group *g,
                             int64_t index)
{
  int64_t in_leaflet = b->spec->leaflet[g->side].n_lipids;
  double shift = 2 * jitter(b, g->side), r[4];
  uint64_t id = (uint64_t)(g->first_id + index * g->lipid.n_beads);
  struct pose p;
  rng_uniform(s->clock.seed, 0, id, RNG_BUILD, r);
  int64_t site =
      place_shuffled(in_leaflet, g->first_in_leaflet + index, s->clock.seed, (uint64_t)g->side);
  place_in_layer(in_leaflet, site, b->edge, p.x);
  p.x[0] += shift * (r[0] - 0.5);
  p.x[1] += shift * (r[1] - 0.5);
  p.x[2] = b->half[g->side] + shift * (r[2] - 0.5);
  p.cos_angle = portable_cos(2 * UNITS_PI * r[3]);
  p.sin_angle = portable_sin(2 * UNITS_PI * r[3]);
  return p;
}

/* Position of a bead of the lipid; mirrored for the lower leaflet. */
static void pose_point(const struct system *s, const struct group *g, const struct pose *p,
                       int bead, double x[3])
{
  const double *own = g->lipid.x[bead];
  double up = g->side == 0 ? 1 : -1;
  x[0] = p->x[0] + p->cos_angle * own[0] - p->sin_angle * own[1];
  x[1] = p->x[1] + p->sin_angle * own[0] + p->cos_angle * own[1];
  x[2] = 0.5 * s->box[2] + up * (p->x[2] + g->squeeze * own[2]);
}

static void fill_lipid(const struct bilayer *b, struct system *s, const struct group *g,
                       int64_t index)
{
  const struct ff_molecule *m = &s->ff->molecule[g->molecule];
  struct pose pose = find_pose(b, s, g, index);
  for (int bead = 0; bead < m->n_beads; bead++) {
    int64_t k = g->first_id + index * m->n_beads + bead - s->first;
    if (k < 0 || k >= s->n) continue;
    double x[3], from[3], to[3];
    pose_point(s, g, &pose, bead, x);
    system_set_position(s, k, x);
    s->beads.type[k] = m->bead[bead];
    s->beads.bonded_env[k] = g->first_env + bead;
    s->beads.molecule_type[k] = g->molecule;
    s->beads.molecule[k] = place_molecule_number(g->first_molecule + index);
    if (g->lipid.target[bead] < 0) {
      place_random_orientation(s, k);
      continue;
    }
    pose_point(s, g, &pose, g->lipid.origin[bead], from);
    pose_point(s, g, &pose, g->lipid.target[bead], to);
    for (int d = 0; d < 3; d++)
      to[d] -= from[d];
    place_orientation(to, s->beads.orientation + 4 * k);
  }
}

static void fill_group(const struct bilayer *b, struct system *s, const struct group *g)
{
  int64_t first = s->first - g->first_id, last = first + s->n - 1, n = g->lipid.n_beads;
  if (last < 0) return;
  first = first < 0 ? 0 : first / n;
  last = last / n < g->count ? last / n : g->count - 1;
  for (int64_t index = first; s->n > 0 && index <= last; index++)
    fill_lipid(b, s, g, index);
}

/* Makes the bead with an id of this rank's block a water molecule at x (nm), image 0. */
static void set_water_bead(struct system *s, const struct build_spec *spec, int64_t id,
                           int64_t molecule, const double x[3])
{
  int64_t k = id - s->first;
  s->beads.type[k] = s->ff->molecule[spec->water].bead[0];
  s->beads.molecule_type[k] = spec->water;
  s->beads.molecule[k] = place_molecule_number(molecule);
  place_random_orientation(s, k);
  system_set_position(s, k, x);
  for (int d = 0; d < 3; d++)
    s->beads.image[3 * k + d] = 0;
}

static void fill_water(const struct bilayer *b, struct system *s)
{
  double edge[3] = {b->edge[0], b->edge[1], b->water_depth}, x[3];
  int64_t id = s->first > b->lipid_beads ? s->first : b->lipid_beads + 1;
  for (; id < s->first + s->n; id++) {
    int64_t index = id - b->lipid_beads - 1;
    place_in_slab(b->spec->n_waters, index, edge, x);
    x[2] += 0.5 * s->box[2] + b->water_bottom;
    set_water_bead(s, b->spec, id, b->n_lipids + 1 + index, x);
  }
}

struct system *bilayer_build(const struct ranks *r, struct build_spec *spec)
{
  struct bilayer b;
  bilayer_set(&b, spec);
  place_molecule_number(b.n_lipids + spec->n_waters);
  if (!spec->minimise) warn("beads of the bilayer may overlap: minimise before a run");
  struct system *s = system_create(b.lipid_beads + spec->n_waters, r->rank, r->size, spec->ff);
  spec->ff = NULL;
  const double least = 2 * b.water_bottom - b.half[0] + b.half[1] + b.water_depth;
  const double tilt = spec->shape == SHAPE_HEXAGONAL ? b.edge[0] / 2 : 0;
  const double box[BOX] = {b.edge[0], b.edge[1], fmax(least, spec->height), tilt};
  clock_set_seed(&s->clock, spec->seed);
  system_set_box(s, box);
  set_envs(&b, s);
  for (int k = 0; k < b.n_groups; k++)
    fill_group(&b, s, &b.group[k]);
  fill_water(&b, s);
  for (int k = 0; k < b.n_groups; k++)
    lipid_free(&b.group[k].lipid);
  free(b.group);
  return s;
}

struct system *water_build(const struct ranks *r, struct build_spec *spec)
{
  place_molecule_number(spec->n_waters);
  if (!spec->minimise)
    place_check_distance(spec->ff, spec->ff->molecule[spec->water].bead[0],
                         portable_cbrt(1 / spec->water_density), spec->where);
  struct system *s = system_create(spec->n_waters, r->rank, r->size, spec->ff);
  spec->ff = NULL;
  const double edge = portable_cbrt((double)spec->n_waters / spec->water_density);
  const double box[BOX] = {edge, edge, edge};
  clock_set_seed(&s->clock, spec->seed);
  system_set_box(s, box);
  for (int64_t id = s->first; id < s->first + s->n; id++) {
    double x[3];
    place_in_slab(spec->n_waters, id - 1, s->box, x);
    set_water_bead(s, spec, id, id, x);
  }
  return s;
}
