/* Owners, peers and halos of slabs and columns, against what the words mean: each point counted
 * out. */
#include "tests/support/agree.h"

#include <string.h>

#include "mpi/domain/regions.h"

#include "base/rng.h"
#include "tests/support/scatter.h"

enum { POINTS = 400 };
static const uint64_t whole = UINT64_C(1) << 32;
/* Parts of both cuts: slabs, and columns that have the same neighbour on several sides or not. */
static const int grids[][CUTS] = {{1, 1}, {2, 1}, {3, 1}, {8, 1}, {1, 2}, {1, 5},
                                  {2, 2}, {3, 2}, {2, 4}, {3, 3}, {5, 4}, {4, 7}};
enum { GRIDS = sizeof grids / sizeof grids[0] };

/* Parts no thinner than the halo, whose width is a share of the thinnest. */
static void cut_set(struct region_cut *s, int equal)
{
  const uint64_t n = (uint64_t)s->n;
  s->width = s->n > 1 ? whole / (2 * n) - 3 : 0;
  s->thickness = whole / n - 5; /* also what clusters that reach out of it need */
  for (int k = 1; k < s->n && !equal; k++)
    s->bound[k] += rng_words(3, n, (uint64_t)k, RNG_BUILD).word[0] % (whole / 8 / n);
}

static void regions_set(struct regions *g, struct ranks *r, int grid, int axis, int equal)
{
  memset(r, 0, sizeof *r);
  r->size = grids[grid][0] * grids[grid][1];
  regions_create(g, axis, grids[grid]);
  for (int c = 0; c < CUTS; c++)
    cut_set(&g->cut[c], equal);
}

/* Coordinates at random, and, of the first, those on bounds and where halos end. */
static uint32_t coordinate(const struct region_cut *s, int m)
{
  const uint64_t at = s->bound[m % (s->n + 1)];
  const uint64_t special[] = {
      at, at - 1, at + s->width, at + s->width + 1, at - s->width, at - s->width - 1};
  if (m < 6 * (s->n + 1)) return (uint32_t)special[m / (s->n + 1)];
  return (uint32_t)rng_words(4, (uint64_t)m, (uint64_t)s->axis, RNG_BUILD).word[0];
}

static void point_set(const struct regions *g, int m, int32_t x[3])
{
  x[0] = 7;
  x[1] = -9;
  x[2] = 11;
  for (int c = 0; c < CUTS; c++) /* in another order along the second axis */
    x[g->cut[c].axis] = (int32_t)coordinate(&g->cut[c], c ? m * 7 % POINTS : m);
}

static void peers_are_distinct(const struct domain *d)
{
  for (int k = 0; k < d->n_peers; k++) {
    assert_true(d->peer[k] != d->rank && d->peer[k] >= 0 && d->peer[k] < d->n_ranks);
    for (int m = 0; m < k; m++)
      assert_true(d->peer[m] != d->peer[k]);
  }
}

static void owners_and_peers(void **state)
{
  (void)state;
  for (int grid = 0; grid < GRIDS; grid++)
    for (int axis = 0; axis < 3; axis++) {
      struct regions g;
      struct ranks r;
      regions_set(&g, &r, grid, axis, axis == 2);
      for (r.rank = 0; r.rank < r.size; r.rank++) {
        const struct domain d = regions_domain(&g, &r);
        peers_are_distinct(&d);
        for (int m = 0; m < POINTS; m++) {
          int32_t x[3];
          point_set(&g, m, x);
          const int owner = domain_owner(&d, x);
          assert_true(scatter_is_inside(&g, owner, x, 0));
          assert_int_equal(domain_is_own(&d, x), owner == r.rank);
          for (int k = 0; k < d.n_peers; k++) {
            const struct domain one = domain_with_peer(&d, k);
            assert_int_equal(domain_is_near(&d, k, x), scatter_is_inside(&g, d.peer[k], x, 1));
            assert_int_equal(domain_is_near(&one, 0, x), domain_is_near(&d, k, x));
          }
        }
      }
      regions_destroy(&g);
    }
}

/* A bead that another rank needs is needed by a peer: the halo reaches no further than a region. */
/* The points of rank r that are near to peers are those within the width of others' regions. */
static void assert_near_peers(const struct regions *g, const struct ranks *r)
{
  const struct domain d = regions_domain(g, r);
  for (int m = 0; m < POINTS; m++) {
    int32_t x[3];
    int needed = 0, near = 0;
    point_set(g, m, x);
    if (!domain_is_own(&d, x)) continue;
    for (int k = 0; k < r->size; k++)
      needed += k != r->rank && scatter_is_inside(g, k, x, 1);
    for (int k = 0; k < d.n_peers; k++)
      near += domain_is_near(&d, k, x);
    assert_int_equal(near, needed);
  }
}

static void only_peers_are_near(void **state)
{
  (void)state;
  for (int grid = 0; grid < GRIDS; grid++) {
    struct regions g;
    struct ranks r;
    regions_set(&g, &r, grid, 0, 0);
    for (r.rank = 0; r.rank < r.size; r.rank++)
      assert_near_peers(&g, &r);
    regions_destroy(&g);
  }
}

/* Bounds that have moved together, at both ends of the edge, become slabs as thick as they have to
   be. */
static void widened(void **state)
{
  (void)state;
  for (int grid = 0; grid < GRIDS; grid++)
    for (int high = 0; high < 2; high++) {
      struct regions g;
      struct ranks r;
      regions_set(&g, &r, grid, 2, 1);
      for (int c = 0; c < CUTS; c++)
        for (int k = 1; k < g.cut[c].n; k++)
          g.cut[c].bound[k] = high ? whole - (uint64_t)(g.cut[c].n - k) : (uint64_t)k;
      regions_widen(&g);
      for (int c = 0; c < CUTS; c++) {
        const struct region_cut *s = &g.cut[c];
        assert_true(s->bound[0] == 0 && s->bound[s->n] == whole);
        for (int k = 0; k < s->n; k++)
          assert_true(s->bound[k + 1] >= s->bound[k] + s->thickness);
      }
      regions_destroy(&g);
    }
}

static void extents_and_bins(void **state)
{
  (void)state;
  const int n[CUTS] = {4, 2};
  struct regions g;
  struct ranks r = {.rank = 5, .size = 8}; /* slab 2 along y, slab 1 along x */
  int64_t low = 0, high = 0;
  regions_create(&g, 1, n);
  for (int c = 0; c < CUTS; c++)
    cut_set(&g.cut[c], 1);
  struct domain d = regions_domain(&g, &r);
  assert_false(domain_extent(&d, 2, &low, &high));
  for (int c = 0; c < CUTS; c++) {
    const struct region_cut *s = &g.cut[c];
    const int slab = c ? 1 : 2;
    assert_true(domain_extent(&d, s->axis, &low, &high));
    assert_true(low == (int64_t)(s->bound[slab] - s->width));
    assert_true(high == (int64_t)(s->bound[slab + 1] + s->width));
    for (int k = 0; k < s->n; k++) {
      int32_t x[3] = {0, 0, 0};
      x[s->axis] = (int32_t)(uint32_t)(s->bound[k] + 1);
      assert_int_equal(domain_bin(&d, c, x, s->n), k);
    }
  }
  memset(&d, 0, sizeof d);
  assert_false(domain_extent(&d, 0, &low, &high));
  regions_destroy(&g);
}

/* Small systems have slabs, which have the fewest messages, large ones columns, which have less
   halo; where slabs do not fit there are columns. */
static void grids_are_chosen(void **state)
{
  (void)state;
  struct region_choice c = {.box = {50, 40, 10}, .reach = 1.5, .n_total = 20000, .bead = 1};
  c.thickness = 1.5;
  int n[CUTS];
  c.message = 1e6;
  regions_choose(&c, 16, n);
  assert_true(n[0] == 16 && n[1] == 1);
  c.message = 0;
  regions_choose(&c, 16, n);
  assert_true(n[0] == 4 && n[1] == 4);
  regions_choose(&c, 13, n);
  assert_true(n[0] == 13 && n[1] == 1);
  c.message = 1e6;
  regions_choose(&c, 64, n); /* 33 slabs fit along x */
  assert_true(n[0] * n[1] == 64 && n[0] <= 33 && n[1] <= 26 && n[1] > 1);
  regions_choose(&c, 37, n); /* no grid fits: the slabs are refused later */
  assert_true(n[0] == 37 && n[1] == 1);
  c.thickness = 4.9; /* as with clusters: 16 slabs do not fit, and 10 do */
  regions_choose(&c, 16, n);
  assert_true(n[0] == 8 && n[1] == 2);
  regions_choose(&c, 10, n);
  assert_true(n[0] == 10 && n[1] == 1);
  const int grid[CUTS] = {4, 2};
  const struct region_load load = regions_load(&c, grid);
  assert_true(load.fits && load.peers == 5 && load.own == 2500);
  assert_true(fabs(load.halo - (20000 * (15.5 / 50) * (23. / 40) - 2500)) < 1e-6);
  assert_int_equal(regions_most_ranks(1.5, c.box), 33 * 26);
}

/* Of one to three slabs all are neighbours, and they fit however thin they are; more must be as
   thick as asked. The grid with the thickest regions decides whether some grid fits, and how far
   the halo can reach. */
static void few_slabs_always_fit(void **state)
{
  (void)state;
  const double box[BOX] = {12, 9, 5};
  const double thicker[] = {2.9, 4.1, 11, 1e6, HUGE_VAL};
  for (int k = 0; k < 5; k++) {
    assert_int_equal(regions_most_slabs(thicker[k], 12), k ? 3 : 4);
    assert_true(regions_fit_somehow(9, thicker[k], box) && regions_fit_somehow(4, thicker[k], box));
    assert_int_equal(regions_fit_somehow(5, thicker[k], box), 0);
    assert_int_equal(regions_fit_somehow(8, thicker[k], box), k == 0); /* 4x2 */
    assert_int_equal(regions_most_ranks(thicker[k], box), k ? 9 : 12);
    for (int x = 1; x < 6; x++)
      for (int y = 1; y < 6; y++) {
        const int n[CUTS] = {x, y};
        struct regions g;
        regions_create(&g, 0, n);
        const int thin = x > 3 + (k == 0) ? 0 : y > 3 ? 1 : -1;
        assert_int_equal(regions_thin_cut(&g, thicker[k], box), thin);
        if (thin < 0) {
          regions_set_reach(&g, thicker[k], 0, box);
          regions_widen(&g);
          for (int c = 0; c < CUTS; c++)
            for (int m = 0; m < g.cut[c].n; m++)
              assert_true(g.cut[c].bound[m + 1] > g.cut[c].bound[m]);
        }
        regions_destroy(&g);
      }
  }
  assert_true(fabs(regions_widest_reach(8, 0.4, box) - (0.9999 * 3 - 0.8)) < 1e-9);
  assert_true(regions_widest_reach(9, 5, box) == 9 && regions_widest_reach(1, 5, box) == 9);
  assert_true(regions_widest_reach(7, 0, box) < 12.0 / 7);
}

/* A halo wider than the region beside it: every bead that a rank of two or three needs is with a
   peer. */
static void thin_regions_miss_nothing(void **state)
{
  (void)state;
  static const int thin[][CUTS] = {{2, 1}, {3, 1}, {3, 3}, {2, 3}};
  for (int grid = 0; grid < 4; grid++)
    for (int width = 1; width < 10; width++) {
      struct regions g;
      struct ranks r = {.size = thin[grid][0] * thin[grid][1]};
      regions_create(&g, 0, thin[grid]);
      for (int c = 0; c < CUTS; c++)
        g.cut[c].width = g.cut[c].n > 1 ? whole / 10 * (uint64_t)width : 0;
      for (r.rank = 0; r.rank < r.size; r.rank++)
        assert_near_peers(&g, &r);
      regions_destroy(&g);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(owners_and_peers),
                                     cmocka_unit_test(only_peers_are_near),
                                     cmocka_unit_test(widened),
                                     cmocka_unit_test(extents_and_bins),
                                     cmocka_unit_test(grids_are_chosen),
                                     cmocka_unit_test(few_slabs_always_fit),
                                     cmocka_unit_test(thin_regions_miss_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
