/* Crystals of single beads. Sites are multiples of half a cell, so their fractions of the box are
   exact. Ellipsoids get orientations such that no two overlap. Random ones are found by rejection,
   one bead after another, in sweeps over the crystal. The contact distance s of two ellipsoids is
   that of Gay and Berne (J. Chem. Phys. 74, 3316, 1981); they overlap if r - s + sigma is below
   CLOSEST sigma. */
#include "setup/build.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/portable.h"
#include "model/place.h"

#define CLOSEST 0.9  /* the pair energy is 7 times the well depth there */
#define DENSEST 0.6  /* volume of a site over that of the box around the ellipsoid; fcc has 0.71 */
#define THINNER 0.97 /* ratio of the densities that are tried */
enum {
  TRIES = 100,    /* orientations tried for a bead in a sweep */
  PATIENCE = 20,  /* sweeps without fewer overlaps before giving up */
  SMALL_CELLS = 4 /* along each edge of the crystal that is tried first */
};

/* A crystal of single beads. Ids run from 1 through the sites of a cell, then x, y, z. */
struct crystal {
  int per_cell;
  const int (*site)[3]; /* of a cell, in half cells */
  int cells[3];
  double edge[3]; /* of a cell, nm */
};

struct rotors {
  double sigma, kappa; /* breadth (nm), length over breadth; the long axis is body z */
  int aligned;         /* all along `axis`; else random */
  double axis[3];      /* a unit vector */
  uint64_t seed;
};

/* A site near another, in another cell or the same. */
struct neighbour {
  int cell[3], site; /* offset of its cell, and its index in it */
  double r, unit[3]; /* distance (nm), direction */
};

struct rotor_crystal {
  const struct rotors *r;
  const struct crystal *c;
  int64_t n;
  int n_near[4];
  struct neighbour *near[4]; /* of each site of a cell */
  double (*axis)[3];         /* of each bead */
};

static void near_add(struct rotor_crystal *k, int site, const int cell[3], int other, double reach)
{
  struct neighbour new = {.site = other};
  double r2 = 0;
  for (int d = 0; d < 3; d++) {
    new.cell[d] = cell[d];
    new.unit[d] = (cell[d] + 0.5 * (k->c->site[other][d] - k->c->site[site][d])) * k->c->edge[d];
    r2 += new.unit[d] * new.unit[d];
  }
  if (r2 == 0 || r2 >= reach * reach) return;
  new.r = sqrt(r2);
  for (int d = 0; d < 3; d++)
    new.unit[d] /= new.r;
  k->near[site] = grow_array(k->near[site], k->n_near[site] + 1, sizeof *k->near[site]);
  k->near[site][k->n_near[site]++] = new;
}

/* The sites that a body could reach in some orientation. */
static void near_find(struct rotor_crystal *k, int site)
{
  double reach = (fmax(k->r->kappa, 1) - 1 + CLOSEST) * k->r->sigma;
  int most[3], cell[3];
  for (int d = 0; d < 3; d++)
    most[d] = (int)(reach / k->c->edge[d]) + 1;
  for (cell[0] = -most[0]; cell[0] <= most[0]; cell[0]++)
    for (cell[1] = -most[1]; cell[1] <= most[1]; cell[1]++)
      for (cell[2] = -most[2]; cell[2] <= most[2]; cell[2]++)
        for (int other = 0; other < k->c->per_cell; other++)
          near_add(k, site, cell, other, reach);
}

/* (r - s + sigma) / sigma of two bodies with axes u and v. */
static double gap(const struct rotors *r, const double u[3], const double v[3],
                  const struct neighbour *n)
{
  double k2 = r->kappa * r->kappa, chi = (k2 - 1) / (k2 + 1), a = 0, b = 0, c = 0;
  for (int d = 0; d < 3; d++) {
    a += u[d] * n->unit[d];
    b += v[d] * n->unit[d];
    c += u[d] * v[d];
  }
  double sum = (a + b) * (a + b) / (1 + chi * c), difference = (a - b) * (a - b) / (1 - chi * c);
  return n->r / r->sigma - 1 / sqrt(1 - 0.5 * chi * (sum + difference)) + 1;
}

/* The smallest gap between bead k, if its axis is u, and its neighbours; some number below `enough`
   if one is. Images of the bead itself turn with it. */
static double smallest_gap(const struct rotor_crystal *k, int64_t bead, const double u[3],
                           double enough)
{
  const struct crystal *c = k->c;
  int site = (int)(bead % c->per_cell);
  int64_t cell = bead / c->per_cell, own[3];
  double least = (double)INFINITY;
  for (int d = 0; d < 3; d++) {
    own[d] = cell % c->cells[d];
    cell /= c->cells[d];
  }
  for (int j = 0; j < k->n_near[site] && least >= enough; j++) {
    const struct neighbour *near = &k->near[site][j];
    int64_t other = 0;
    for (int d = 2; d >= 0; d--) {
      int64_t at = (own[d] + near->cell[d]) % c->cells[d];
      other = other * c->cells[d] + (at < 0 ? at + c->cells[d] : at);
    }
    other = other * c->per_cell + near->site;
    least = fmin(least, gap(k->r, u, other == bead ? u : k->axis[other], near));
  }
  return least;
}

static void draw_axis(const struct rotors *r, int64_t bead, uint32_t draw, double u[3])
{
  double q[4];
  place_draw_orientation(r->seed, draw, bead + 1, q);
  u[0] = 2 * (q[1] * q[3] + q[0] * q[2]);
  u[1] = 2 * (q[2] * q[3] - q[0] * q[1]);
  u[2] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
}

/* Turns a bead to the first draw without overlap, or to the one with the least. */
static void turn(struct rotor_crystal *k, int64_t bead, double now, uint32_t first, uint32_t *draw)
{
  for (uint32_t t = first; t < first + TRIES && now < CLOSEST; t++) {
    double u[3];
    draw_axis(k->r, bead, t, u);
    double found = smallest_gap(k, bead, u, now);
    if (found <= now) continue;
    now = found;
    *draw = t;
    for (int d = 0; d < 3; d++)
      k->axis[bead][d] = u[d];
  }
}

/* Sweeps until nothing overlaps, or until that does not get better. */
static int64_t turn_all(struct rotor_crystal *k, uint32_t *draw)
{
  int64_t fewest = INT64_MAX;
  int patience = PATIENCE;
  for (uint32_t first = 1; patience > 0; first += TRIES) {
    int64_t overlaps = 0;
    for (int64_t bead = 0; bead < k->n; bead++) {
      double now = smallest_gap(k, bead, k->axis[bead], CLOSEST);
      if (now >= CLOSEST) continue;
      overlaps++;
      turn(k, bead, smallest_gap(k, bead, k->axis[bead], -(double)INFINITY), first, &draw[bead]);
    }
    if (overlaps == 0) return 0;
    patience = overlaps < fewest ? PATIENCE : patience - 1;
    fewest = overlaps < fewest ? overlaps : fewest;
  }
  return fewest;
}

static int64_t count_overlaps(const struct rotor_crystal *k)
{
  int64_t overlaps = 0;
  for (int64_t bead = 0; bead < k->n; bead++)
    overlaps += smallest_gap(k, bead, k->axis[bead], CLOSEST) < CLOSEST;
  return overlaps;
}

/* The number of beads that overlap another. draw[n]: for random ones receives the draw of
   place_draw_orientation of each bead; is not touched for aligned ones, may then be NULL. Every
   rank does the whole crystal, so the result is the same on all. */
static int64_t rotors_place(const struct rotors *r, const struct crystal *c, uint32_t *draw)
{
  struct crystal one = *c; /* cells of an aligned crystal are all alike */
  if (r->aligned) one.cells[0] = one.cells[1] = one.cells[2] = 1;
  struct rotor_crystal k = {.r = r, .c = &one, .n = c->per_cell};
  for (int d = 0; d < 3; d++)
    k.n *= one.cells[d];
  k.axis = alloc_array(k.n, sizeof *k.axis);
  for (int site = 0; site < c->per_cell; site++)
    near_find(&k, site);
  for (int64_t bead = 0; bead < k.n; bead++) {
    if (!r->aligned) draw_axis(r, bead, draw[bead] = 0, k.axis[bead]);
    for (int d = 0; d < 3 && r->aligned; d++)
      k.axis[bead][d] = r->axis[d];
  }
  int64_t overlaps = r->aligned ? count_overlaps(&k) : turn_all(&k, draw);
  for (int site = 0; site < c->per_cell; site++)
    free(k.near[site]);
  free(k.axis);
  return overlaps;
}

/* The density (nm-3) itself if a small crystal of that density has room for the ellipsoids, else a
   lower one that has. */
static double rotors_fitting_density(const struct rotors *r, const struct crystal *c)
{
  struct crystal small = *c;
  int n = c->per_cell;
  for (int d = 0; d < 3; d++) {
    if (small.cells[d] > SMALL_CELLS) small.cells[d] = SMALL_CELLS;
    n *= small.cells[d];
  }
  uint32_t *draw = alloc_array(n, sizeof *draw);
  double volume = small.edge[0] * small.edge[1] * small.edge[2];
  while (volume < c->per_cell * DENSEST * r->kappa * portable_power(r->sigma, 3) ||
         rotors_place(r, &small, draw) > 0) {
    volume = 1;
    for (int d = 0; d < 3; d++)
      volume *= small.edge[d] /= portable_cbrt(THINNER);
  }
  free(draw);
  return c->per_cell / volume;
}

/* Sites of a cell, in half cells. */
static const int fcc[4][3] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
static const int bcc[2][3] = {{0, 0, 0}, {1, 1, 1}};

/* Cells of aligned ellipsoids are stretched as the bodies are. */
static void crystal_set(struct crystal *c, const struct build_spec *spec, double kappa)
{
  c->per_cell = spec->lattice == LATTICE_SC ? 1 : spec->lattice == LATTICE_BCC ? 2 : 4;
  c->site = spec->lattice == LATTICE_BCC ? bcc : fcc;
  double stretch = spec->orientation == ORIENTATION_ALIGNED ? kappa : 1;
  double edge = portable_cbrt(c->per_cell / (spec->density * stretch));
  for (int d = 0; d < 3; d++) {
    c->cells[d] = spec->cells[d];
    c->edge[d] = d == spec->axis ? stretch * edge : edge;
  }
}

/* Draws of the orientations of all beads, so that ellipsoids do not overlap; NULL where any will
   do. */
static uint32_t *find_draws(const struct build_spec *spec, const struct crystal *c, int64_t n,
                            const struct ff_type *type, double sigma)
{
  if (type->kappa <= 0) return NULL;
  struct rotors r = {.sigma = sigma, .kappa = type->kappa, .seed = spec->seed};
  r.aligned = spec->orientation == ORIENTATION_ALIGNED;
  r.axis[spec->axis] = 1;
  double fits = rotors_fitting_density(&r, c);
  if (fits > 0.9999 * spec->density) {
    uint32_t *draw = r.aligned ? NULL : alloc_array(n, sizeof *draw);
    if (rotors_place(&r, c, draw) == 0) return draw;
    fits = 0.97 * spec->density;
  }
  if (r.aligned)
    die_all(STATUS_INPUT, "%s: aligned ellipsoids %s overlap at this density; %.4g fits",
            spec->where, type->name, fits);
  die_all(STATUS_INPUT,
          "%s: ellipsoids %s overlap at this density in all random orientations tried; about %.3g "
          "fits; for a denser start say orientation: aligned, and melt it",
          spec->where, type->name, fits);
}

/* The distance of nearest neighbours, nm. */
static double spacing_of(const struct crystal *c)
{
  const double of_edge[] = {[1] = 1, [2] = sqrt(0.75), [4] = sqrt(0.5)};
  return c->edge[0] * of_edge[c->per_cell];
}

static void orient(struct system *s, int64_t k, const struct build_spec *spec, const uint32_t *draw)
{
  double axis[3] = {0};
  axis[spec->axis] = 1;
  if (spec->orientation == ORIENTATION_ALIGNED)
    place_orientation(axis, s->beads.orientation + 4 * k);
  else if (draw)
    place_draw_orientation(s->clock.seed, draw[s->first + k - 1], s->first + k,
                           s->beads.orientation + 4 * k);
  else
    place_random_orientation(s, k);
}

struct system *lattice_build(const struct ranks *r, struct build_spec *spec)
{
  int type = spec->ff->molecule[spec->molecule].bead[0];
  const struct ff_type *body = &spec->ff->type[type];
  struct crystal c;
  crystal_set(&c, spec, body->kappa > 0 ? body->kappa : 1);
  int64_t n = c.per_cell;
  for (int d = 0; d < 3; d++)
    n = place_count_product(n, spec->cells[d], "beads");
  place_molecule_number(n);
  const double sigma = spec->ff->pair[type * spec->ff->n_types + type].sigma;
  uint32_t *draw = find_draws(spec, &c, n, body, sigma);
  if (body->kappa <= 0 && !spec->minimise)
    place_check_distance(spec->ff, type, spacing_of(&c), spec->where);
  struct system *s = system_create(n, r->rank, r->size, spec->ff);
  spec->ff = NULL;
  double box[BOX] = {0};
  for (int d = 0; d < 3; d++)
    box[d] = c.edge[d] * spec->cells[d];
  clock_set_seed(&s->clock, spec->seed);
  system_set_box(s, box);
  for (int64_t k = 0; k < s->n; k++) {
    int64_t id = s->first + k, cell = (id - 1) / c.per_cell;
    const int *half = c.site[(id - 1) % c.per_cell];
    for (int d = 0; d < 3; d++) {
      place_fraction(s, k, d, 2 * (cell % spec->cells[d]) + half[d], 0, 0, 2 * spec->cells[d]);
      cell /= spec->cells[d];
    }
    s->beads.type[k] = type;
    orient(s, k, spec, draw);
    s->beads.molecule_type[k] = spec->molecule;
    s->beads.molecule[k] = place_molecule_number(id);
  }
  free(draw);
  return s;
}
