/* Ellipsoids on lattice sites: see rotors.h. The contact distance s of two ellipsoids is that of
   Gay and Berne (J. Chem. Phys. 74, 3316, 1981); they overlap if r - s + sigma is below CLOSEST
   sigma. */
#include "setup/rotors.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/place.h"

#define CLOSEST 0.9  /* the pair energy is 7 times the well depth there */
#define DENSEST 0.6  /* volume of a site over that of the box around the ellipsoid; fcc has 0.71 */
#define THINNER 0.97 /* ratio of the densities that are tried */
enum {
  TRIES = 100,    /* orientations tried for a bead in a sweep */
  PATIENCE = 20,  /* sweeps without fewer overlaps before giving up */
  SMALL_CELLS = 4 /* along each edge of the crystal that is tried first */
};

/* A site near another, in another cell or the same. */
struct neighbour {
  int cell[3], site; /* offset of its cell, and its place in the cell */
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
      int64_t place = (own[d] + near->cell[d]) % c->cells[d];
      other = other * c->cells[d] + (place < 0 ? place + c->cells[d] : place);
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

int64_t rotors_place(const struct rotors *r, const struct crystal *c, uint32_t *draw)
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

double rotors_fitting_density(const struct rotors *r, const struct crystal *c)
{
  struct crystal small = *c;
  int n = c->per_cell;
  for (int d = 0; d < 3; d++) {
    if (small.cells[d] > SMALL_CELLS) small.cells[d] = SMALL_CELLS;
    n *= small.cells[d];
  }
  uint32_t *draw = alloc_array(n, sizeof *draw);
  double volume = small.edge[0] * small.edge[1] * small.edge[2];
  while (volume < c->per_cell * DENSEST * r->kappa * pow(r->sigma, 3) ||
         rotors_place(r, &small, draw) > 0) {
    volume = 1;
    for (int d = 0; d < 3; d++)
      volume *= small.edge[d] /= cbrt(THINNER);
  }
  free(draw);
  return c->per_cell / volume;
}
