#include "mpi/domain/regions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/axis.h"
#include "base/log.h"
#include "base/torus.h"

/* Up to this number of slabs are all neighbours of each other and may be thinner than the halo. */
enum { SLABS_TOUCHING = 3 };
enum { BINS = 4096, SLABS_MOST = 1000000 };
static const uint64_t whole = UINT64_C(1) << 32;

static void cut_create(struct region_cut *c, int axis, int n)
{
  c->axis = axis;
  c->n = n;
  c->width = c->thickness = 0;
  c->bound = alloc_array(n + 1, sizeof *c->bound);
  for (int k = 0; k < n; k++)
    c->bound[k] = whole / (uint64_t)n * (uint64_t)k;
  c->bound[n] = whole;
}

void regions_create(struct regions *g, int axis, const int n[CUTS])
{
  cut_create(&g->cut[0], axis, n[0]);
  cut_create(&g->cut[1], axis == 0, n[1]);
}

void regions_destroy(struct regions *g)
{
  for (int c = 0; c < CUTS; c++) {
    free(g->cut[c].bound);
    g->cut[c].bound = NULL;
  }
}

static struct domain_range range_of(const struct regions *g, int c, int rank)
{
  const int slabs = g->cut[1].n, k = c ? rank % slabs : rank / slabs;
  const struct domain_range range = {g->cut[c].bound[k], g->cut[c].bound[k + 1]};
  return range;
}

/* The distinct ranks around this one in the periodic grid. */
static void peers_find(const struct regions *g, struct domain *d)
{
  const int n = g->cut[0].n, slabs = g->cut[1].n;
  for (int a = -1; a <= 1; a++)
    for (int b = -1; b <= 1; b++) {
      const int first = (d->rank / slabs + a + n) % n;
      const int peer = first * slabs + (d->rank % slabs + b + slabs) % slabs;
      if (peer != d->rank && !domain_has_peer(d, peer)) d->peer[d->n_peers++] = peer;
    }
}

struct domain regions_domain(const struct regions *g, const struct ranks *r)
{
  struct domain d = {.rank = r->rank, .n_ranks = r->size};
  peers_find(g, &d);
  for (int c = 0; c < CUTS; c++) {
    const struct region_cut *from = &g->cut[c];
    const struct domain_cut cut = {.axis = from->axis,
                                   .n = from->n,
                                   .width = from->width,
                                   .own = range_of(g, c, r->rank),
                                   .bound = from->bound};
    d.cut[c] = cut;
    for (int k = 0; k < d.n_peers; k++)
      d.of_peer[k][c] = range_of(g, c, d.peer[k]);
  }
  return d;
}

/* Reach in units of 2^-32 of the edge, with a margin larger than the rounding of the pair tests. At
   most the edge. */
static uint64_t width_of(double reach, double length)
{
  return (uint64_t)fmin(ceil(reach / length * TORUS_EDGE * 1.00002) + 1, TORUS_EDGE);
}

int regions_most_slabs(double thickness, double length)
{
  uint64_t n = whole / width_of(thickness, length);
  return n < SLABS_TOUCHING ? SLABS_TOUCHING : n > SLABS_MOST ? SLABS_MOST : (int)n;
}

int64_t regions_most_ranks(double thickness, const double box[BOX])
{
  return (int64_t)regions_most_slabs(thickness, box_height(box, 0)) *
         regions_most_slabs(thickness, box_height(box, 1));
}

/* The largest reach of a halo, nm, with n slabs along an edge. */
static double most_reach(int n, double extent, double length)
{
  const double margin = 1e-4; /* more than that of width_of */
  return n <= SLABS_TOUCHING ? length : (1 - margin) * length / n - 2 * extent;
}

double regions_most_reach(const struct regions *g, double extent, const double box[BOX])
{
  double most = HUGE_VAL;
  for (int c = 0; c < CUTS; c++)
    if (g->cut[c].n > 1 || c == 0)
      most = fmin(most, most_reach(g->cut[c].n, extent, box_height(box, g->cut[c].axis)));
  return most;
}

double regions_widest_reach(int size, double extent, const double box[BOX])
{
  double widest = 0;
  for (int x = 1; x <= size; x++)
    if (size % x == 0)
      widest = fmax(widest, fmin(most_reach(x, extent, box_height(box, 0)),
                                 most_reach(size / x, extent, box_height(box, 1))));
  return widest;
}

int regions_thin_cut(const struct regions *g, double thickness, const double box[BOX])
{
  for (int c = 0; c < CUTS; c++)
    if (g->cut[c].n > 1 &&
        g->cut[c].n > regions_most_slabs(thickness, box_height(box, g->cut[c].axis)))
      return c;
  return -1;
}

/* Sets n to the grid of `size` ranks with the thickest regions, at most most[k] along x and y. 0 if
   there is none. */
static int grid_fit(int64_t size, const int most[2], const double box[BOX], int n[2])
{
  double thickest = 0;
  for (int x = 1; x <= most[0] && x <= size; x++) {
    const int64_t y = size / x;
    if (size % x || y > most[1]) continue;
    const double thickness = fmin(box_height(box, 0) / x, box_height(box, 1) / (double)y);
    if (thickness < thickest) continue;
    thickest = thickness;
    n[0] = x;
    n[1] = (int)y;
  }
  return thickest > 0;
}

/* Appends the numbers of ranks below and above size that are nearest to it and fit. */
static void neighbours_print(int size, const int most[2], const double box[BOX], char *text,
                             size_t room)
{
  int64_t below = size - 1, above = size + 1, last = (int64_t)most[0] * most[1];
  int n[2] = {1, 1};
  while (below > 1 && !grid_fit(below, most, box, n))
    below--;
  const int used =
      below > 1 ? snprintf(text, room, "%lld ranks fit, as %dx%d", (long long)below, n[0], n[1])
                : snprintf(text, room, "one rank fits");
  while (above <= last && !grid_fit(above, most, box, n))
    above++;
  if (above <= last)
    snprintf(text + used, room - (size_t)used, ", and %lld ranks, as %dx%d", (long long)above, n[0],
             n[1]);
}

int regions_fit_somehow(int size, double thickness, const double box[BOX])
{
  const int most[2] = {regions_most_slabs(thickness, box_height(box, 0)),
                       regions_most_slabs(thickness, box_height(box, 1))};
  int n[2];
  return grid_fit(size, most, box, n);
}

void regions_explain(const struct regions *g, double thickness, const double box[BOX],
                     char text[REGIONS_TEXT])
{
  const int first = g->cut[0].axis, size = g->cut[0].n * g->cut[1].n;
  const int most[2] = {regions_most_slabs(thickness, box_height(box, 0)),
                       regions_most_slabs(thickness, box_height(box, 1))};
  char rule[240], near[120];
  int n[2] = {1, 1};
  snprintf(
      rule, sizeof rule,
      "regions are at least %.4g nm thick (up to %d along an axis may be thinner), and at most %d "
      "of them fit along x (%.4g nm), at most %d along y (%.4g nm)",
      thickness, SLABS_TOUCHING, most[0], box_height(box, 0), most[1], box_height(box, 1));
  if (grid_fit(size, most, box, n)) {
    snprintf(text, REGIONS_TEXT,
             "%d ranks do not fit as %dx%d: %s; they fit with parallel.grid: %dx%d", size,
             g->cut[first].n, g->cut[!first].n, rule, n[0], n[1]);
    return;
  }
  neighbours_print(size, most, box, near, sizeof near);
  snprintf(text, REGIONS_TEXT, "%d ranks fit in no grid: %s; %s", size, rule, near);
}

void regions_set_reach(struct regions *g, double reach, double extent, const double box[BOX])
{
  const double thickness = reach + 2 * extent;
  const int thin = regions_thin_cut(g, thickness, box);
  for (int c = 0; c < CUTS; c++) {
    struct region_cut *cut = &g->cut[c];
    const double length = box_height(box, cut->axis);
    cut->width = cut->n > 1 || c == 0 ? width_of(reach + extent, length) : 0;
    cut->thickness = width_of(thickness, length);
    if (cut->n <= SLABS_TOUCHING && cut->thickness > whole / (uint64_t)cut->n)
      cut->thickness = whole / (uint64_t)cut->n;
  }
  if (thin < 0) return;
  char why[REGIONS_TEXT];
  regions_explain(g, thickness, box, why);
  die_all(STATUS_INPUT, "%s", why);
}

/* Makes every slab at least as thick as that: a forward, then a backward pass. */
static void spread(const struct region_cut *c)
{
  uint64_t *bound = c->bound;
  for (int k = 1; k < c->n; k++)
    if (bound[k] < bound[k - 1] + c->thickness) bound[k] = bound[k - 1] + c->thickness;
  for (int k = c->n - 1; k > 0; k--)
    if (bound[k] + c->thickness > bound[k + 1]) bound[k] = bound[k + 1] - c->thickness;
}

void regions_widen(struct regions *g)
{
  for (int c = 0; c < CUTS; c++)
    spread(&g->cut[c]);
}

/* Bounds with equal shares of the beads, whose numbers in the bins of the edge are count. */
static void cut_balance(const struct region_cut *c, const int64_t *count)
{
  int64_t total = 0, below = 0;
  int bin = 0;
  for (int k = 0; k < BINS; k++)
    total += count[k];
  for (int k = 1; k < c->n; k++) {
    const int64_t target = total / c->n * k;
    while (bin < BINS - 1 && below + count[bin] < target)
      below += count[bin++];
    const double inside = count[bin] > 0 ? (double)(target - below) / (double)count[bin] : 0;
    c->bound[k] = (uint64_t)(((double)bin + inside) * ((double)whole / BINS));
  }
}

void regions_balance(struct regions *g, const struct ranks *r, struct backend *b)
{
  const struct domain d = regions_domain(g, r);
  int64_t *count = alloc_array(BINS, sizeof *count);
  for (int c = 0; c < CUTS; c++) {
    if (g->cut[c].n == 1) continue;
    for (int k = 0; k < BINS; k++)
      count[k] = 0;
    b->ops->histogram(b, &d, c, BINS, count);
    ranks_sum_int64(r, count, BINS);
    cut_balance(&g->cut[c], count);
    spread(&g->cut[c]);
  }
  free(count);
}

struct region_load regions_load(const struct region_choice *c, const int n[CUTS])
{
  const int axis[CUTS] = {c->axis, c->axis == 0};
  struct region_load load = {
      .fits = 1, .own = (double)c->n_total, .halo = (double)c->n_total, .peers = 1};
  for (int k = 0; k < CUTS; k++) {
    const double edge = box_height(c->box, axis[k]);
    if (n[k] == 1) continue;
    load.fits &= n[k] <= regions_most_slabs(c->thickness, edge);
    load.own /= n[k];
    load.halo *= fmin(edge / n[k] + 2 * c->reach, edge) / edge;
    load.peers *= n[k] == 2 ? 2 : 3;
  }
  load.halo -= load.own;
  load.peers--;
  return load;
}

/* Infinite where a grid does not fit. */
static double grid_cost(const struct region_choice *c, const int n[CUTS])
{
  const struct region_load load = regions_load(c, n);
  return load.fits ? load.halo * c->bead + load.peers * c->message : HUGE_VAL;
}

void regions_choose(const struct region_choice *c, int size, int n[CUTS])
{
  n[0] = size;
  n[1] = 1;
  for (int slabs = 1; slabs <= size; slabs++) {
    const int grid[CUTS] = {size / slabs, slabs};
    if (size % slabs == 0 && grid_cost(c, grid) < grid_cost(c, n)) {
      n[0] = grid[0];
      n[1] = grid[1];
    }
  }
}
