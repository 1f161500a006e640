/* Virtual sites: forces against slopes of their places, and what spreading them adds up to. */
#include <stdlib.h>

#include "../support/cluster_shapes.h"
#include "tests/support/apart.h"
#include "tests/support/unit.h"

/* What a constant force on the site does work against: the slope of f . s by each parent. */
static double along_force(struct test_cluster *t, const double f[3], int parent, int d, double h)
{
  const struct body old = t->body[parent], *site;
  const struct site_view w = {t->c.type->site, t->body, t->c.box};
  static const double middle[3] = {EDGE / 2, EDGE / 2, EDGE / 2};
  double move[3] = {0, 0, 0}, sum = 0;
  struct body origin = {0};
  move[d] = h;
  body_shift(&t->body[parent], move, t->c.box);
  site_place(&w);
  site = &t->body[w.site->bead];
  body_put(&origin, middle);
  for (int k = 0; k < 3; k++)
    sum += f[k] * body_difference(site, &origin, k, EDGE);
  t->body[parent] = old;
  return sum;
}

static void assert_site(struct test_cluster *t, int slopes)
{
  const struct site_view w = {t->c.type->site, t->body, t->c.box};
  const double h = 1e-5;
  double f[3], share[3 * MOST], virial[9], total[3] = {0, 0, 0}, turn[3] = {0, 0, 0}, size = 0;
  struct body old[MOST];
  for (int k = 0; k < t->c.type->n_beads; k++)
    memset(t->body[k].force, 0, sizeof t->body[k].force);
  for (int d = 0; d < 3; d++)
    f[d] = t->body[w.site->bead].force[d] = 200 * random_number() - 100;
  site_place(&w);
  site_shares(&w, share, virial);
  for (int j = 0; j < w.site->n; j++)
    vec3d_add(1, share + 3 * j, t->body[w.site->from[j]].force);
  memcpy(old, t->body, sizeof old);
  for (int j = 0; j < w.site->n; j++) {
    const int parent = w.site->from[j];
    double arm[3], part[3];
    site_arm(&w, w.site->bead, parent, arm);
    vec3d_cross(arm, old[parent].force, part);
    for (int d = 0; d < 3; d++) {
      total[d] += old[parent].force[d];
      turn[d] += part[d];
      size = fmax(size, fabs(old[parent].force[d]));
    }
  }
  for (int j = 0; j < w.site->n && slopes; j++)
    for (int d = 0; d < 3; d++) {
      const int parent = w.site->from[j];
      const double near = along_force(t, f, parent, d, h) - along_force(t, f, parent, d, -h);
      const double far = along_force(t, f, parent, d, 2 * h) - along_force(t, f, parent, d, -2 * h);
      assert_true(fabs((8 * near - far) / (12 * h) - old[parent].force[d]) < 1e-6 * (size + 100));
    }
  for (int d = 0; d < 3; d++) {
    assert_true(isfinite(old[w.site->from[0]].force[d]) && old[w.site->bead].force[d] == 0);
    assert_true(fabs(total[d] - f[d]) < 1e-10 * (size + 100));
    assert_true(fabs(turn[d]) < 1e-9 * (size + 100));
    const int e = (d + 1) % 3; /* no moment: the virial is symmetric */
    assert_true(fabs(virial[3 * d + e] - virial[3 * e + d]) < 1e-9 * (size + 100));
  }
}

static const char *const site_text[SITE_FORMS] = {
    [SITE_linear] = "{bead: 6, form: linear, from: [2, 4], a: 0.3}",
    [SITE_distance] = "{bead: 6, form: distance, from: [5, 1], d: -0.22}",
    [SITE_plane] = "{bead: 6, form: plane, from: [3, 1, 2], a: 0.4, b: -0.6}",
    [SITE_plane_distance] = "{bead: 6, form: plane_distance, from: [1, 2, 5], a: 0.4, d: 0.3}",
    [SITE_in_plane] = "{bead: 6, form: in_plane, from: [3, 5, 1], a: 0.15, b: -0.3}",
    [SITE_above_plane] =
        "{bead: 6, form: above_plane, from: [4, 2, 3, 5], a: 0.7, b: -0.4, c: 0.3}",
    [SITE_out_of_plane] = "{bead: 6, form: out_of_plane, from: [4, 2, 3], a: 0.4, b: 0.3, c: -2.5}",
    [SITE_centre] = "{bead: 6, form: centre, from: [1, 3, 4, 5], weights: [1, 2.5, -0.5, 3]}"};

/* kind 0: random; 1: parents on a line; 2: all parents at one place. */
static void forces_of_sites(void **state)
{
  (void)state;
  for (int form = 0; form < SITE_FORMS; form++)
    for (int k = 0; k < 60; k++) {
      struct shape s = shape_of(5);
      struct test_cluster t;
      for (int i = 0; i < s.n; i++)
        for (int d = 0; d < 3; d++)
          s.x[i][d] = k % 3 == 1 ? 0.2 * i * (d + 1) : k % 3 == 2 ? 0 : s.x[i][d];
      cluster_open(&t, &s, site_text[form], 1);
      assert_int_equal(t.c.type->site->form, form);
      const int of_plane = form == SITE_in_plane || form == SITE_above_plane;
      const int is_undefined = k % 3 == 1 ? of_plane
                                          : k % 3 == 2 && (of_plane || form == SITE_distance ||
                                                           form == SITE_plane_distance);
      assert_site(&t, !is_undefined);
      cluster_close(&t);
    }
}

/* Puts the beads into a box in which parents of the site are just less than half an edge from the
   first one. The first is at a random place, the others are not wrapped to it. */
static void into_small_box(struct test_cluster *t)
{
  const struct ff_site *s = t->c.type->site;
  double arm[MOST][3], at[3];
  for (int d = 0; d < 3; d++) {
    double most = 0.1;
    at[d] = random_number();
    for (int k = 0; k < t->c.type->n_beads; k++)
      arm[k][d] = body_difference(&t->body[k], &t->body[s->from[0]], d, EDGE);
    for (int j = 1; j < s->n; j++)
      most = fmax(most, fabs(arm[s->from[j]][d]));
    t->c.box[d] = 2.001 * most;
  }
  for (int k = 0; k < t->c.type->n_beads; k++) {
    double x[3];
    for (int d = 0; d < 3; d++)
      x[d] = (at[d] + arm[k][d] / t->c.box[d]) * EDGE;
    body_put(&t->body[k], x);
  }
}

/* Coordinate d of bead i less that of bead j, with the edges that they have crossed. */
static double apart(const struct test_cluster *t, int i, int j, int d)
{
  const struct body *a = &t->body[i], *b = &t->body[j];
  const double x = torus_fraction(a->x[d]) + (double)a->residual[d] / TORUS_EDGE / TORUS_EDGE,
               y = torus_fraction(b->x[d]) + (double)b->residual[d] / TORUS_EDGE / TORUS_EDGE;
  return (x - y + a->image[d] - b->image[d]) * t->c.box[d];
}

/* A site has the place, and its parents get the forces and the virial, that they have in a large
   box, however small the box is: parents up to half of it from the first, sites further. */
static void sites_in_small_boxes(void **state)
{
  (void)state;
  int further = 0;
  for (int form = 0; form < SITE_FORMS; form++) {
    int far = 0;
    for (int k = 0; k < 60; k++) {
      const struct shape s = shape_of(5);
      double large[3 * MOST], small[3 * MOST], at_large[9], at_small[9], offset[3];
      struct test_cluster t;
      cluster_open(&t, &s, site_text[form], 1);
      const struct ff_site *site = t.c.type->site;
      const struct site_view w = {site, t.body, t.c.box};
      double f[3];
      if (form == SITE_linear) t.c.type->site->value[0] = 1.8;
      memcpy(f, t.body[site->bead].force, sizeof f);
      site_place(&w);
      site_offset(&w, offset);
      site_shares(&w, large, at_large);
      into_small_box(&t);
      memcpy(t.body[site->bead].force, f, sizeof f);
      assert_true(site_place(&w) < (double)INFINITY);
      site_shares(&w, small, at_small);
      for (int d = 0; d < 3; d++) {
        const int first = site->from[0];
        const double from = apart(&t, site->bead, first, d);
        far += fabs(offset[d]) > 0.25 * t.c.box[d];
        further += fabs(offset[d]) > 0.5 * t.c.box[d];
        assert_true(fabs(from - offset[d]) < 1e-9);
      }
      for (int j = 0; j < 3 * site->n; j++)
        assert_true(fabs(small[j] - large[j]) < 1e-6);
      for (int d = 0; d < 9; d++)
        assert_true(fabs(at_small[d] - at_large[d]) < 1e-6);
      cluster_close(&t);
    }
    assert_true(far > 10);
  }
  assert_true(further > 100);
}

/* A site whose place is no number stays where it is. */
static void places_that_are_none(void **state)
{
  (void)state;
  static const double wrong[] = {(double)NAN, (double)INFINITY, 1e9};
  const struct shape s = shape_of(5);
  for (int k = 0; k < 3; k++) {
    struct test_cluster t;
    cluster_open(&t, &s, site_text[SITE_linear], 1);
    const struct site_view w = {t.c.type->site, t.body, t.c.box};
    const struct body before = t.body[t.c.type->site->bead];
    t.c.type->site->value[0] = wrong[k];
    assert_true(isinf(site_place(&w)));
    assert_memory_equal(&before, &t.body[t.c.type->site->bead], sizeof before);
    cluster_close(&t);
  }
}

/* Sites on sites are placed in an order in which their parents come first. */
static void sites_on_sites(void **state)
{
  (void)state;
  const struct shape s = shape_named(TETRAHEDRON);
  struct test_cluster t;
  double offset[3];
  cluster_open(
      &t, &s,
      "{bead: 5, form: linear, from: [6, 7], a: 0.5}, {bead: 6, form: linear, from: [7, 1], "
      "a: 0.5}, {bead: 7, form: linear, from: [1, 2], a: 0.5}",
      3);
  cluster_place_sites(&t.c);
  const struct site_view w = {t.c.type->site, t.body, t.c.box};
  for (int d = 0; d < 3; d++) { /* 7 halves 1-2, 6 halves 7-1, 5 halves 6-7: 3/8 of the way */
    offset[d] = 0.375 * (s.x[1][d] - s.x[0][d]);
    assert_true(fabs(body_difference(&t.body[4], &t.body[0], d, EDGE) - offset[d]) < 1e-12);
  }
  assert_int_equal(w.site->bead, 6);
  cluster_close(&t);
}

/* The sum of r_a f_b over the beads, from the place of the first, kJ/mol. */
static void virial_of(const struct test_cluster *t, double out[9])
{
  memset(out, 0, 9 * sizeof *out);
  for (int k = 0; k < t->c.type->n_beads; k++)
    for (int d = 0; d < 9; d++)
      out[d] += body_difference(&t->body[k], &t->body[0], d / 3, EDGE) * t->body[k].force[d % 3];
}

/* Sites side by side: two on the same beads. One by one: a site on a site, and one on neither. */
static const char *const several_sites[] = {
    "{bead: 5, form: out_of_plane, from: [1, 2, 3], a: 0.4, b: 0.3, c: -2.5}, {bead: 6, form: "
    "plane, from: [2, 1, 4], a: 0.4, b: -0.6}",
    "{bead: 5, form: linear, from: [6, 2], a: 0.5}, {bead: 6, form: distance, from: [3, 1], d: "
    "0.2}"};

/* Spreading keeps force and moment, adds to the virial what forces at other places add, and leaves
   no force on sites. Sites that could be spread side by side get the same bits one by one. */
static void forces_spread(void **state)
{
  (void)state;
  for (int k = 0; k < 40; k++) {
    const struct shape s = shape_named(TETRAHEDRON);
    const double scale = 1024.0 * 1024 * 1024;
    struct test_cluster t;
    struct body start[MOST], apart[MOST];
    double before[9], after[9];
    int64_t word[9] = {0}, overflow = 0, magnitude = 0;
    cluster_open(&t, &s, several_sites[k % 2], 2);
    assert_int_equal(t.c.type->sites_apart, k % 2 == 0);
    cluster_place_sites(&t.c);
    memcpy(start, t.body, sizeof start);
    virial_of(&t, before);
    cluster_spread(&t.c, scale, word, &overflow, &magnitude, NULL);
    virial_of(&t, after);
    for (int d = 0; d < 9; d++)
      assert_true(fabs((double)word[d] / scale - (after[d] - before[d])) < 1e-6);
    for (int d = 0; d < 3; d++) {
      double total = 0;
      for (int i = 0; i < t.c.type->n_beads; i++)
        total += start[i].force[d] - t.body[i].force[d];
      assert_true(fabs(total) < 1e-9 && t.body[4].force[d] == 0 && t.body[5].force[d] == 0);
    }
    memcpy(apart, t.body, sizeof apart);
    memcpy(t.body, start, sizeof start);
    t.ff->cluster->sites_apart = 0;
    cluster_place_sites(&t.c);
    cluster_spread(&t.c, 0, NULL, NULL, NULL, NULL);
    assert_memory_equal(apart, t.body, sizeof apart);
    cluster_close(&t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_of_sites), cmocka_unit_test(sites_in_small_boxes),
      cmocka_unit_test(places_that_are_none), cmocka_unit_test(sites_on_sites),
      cmocka_unit_test(forces_spread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
