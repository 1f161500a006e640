/* Clusters in the periodic box: how far they reach, moves of up to half of the box, and what a move
   of the box does to them. */
#include <stdlib.h>
#include <string.h>

#include "../support/cluster_shapes.h"
#include "tests/support/apart.h"
#include "tests/support/unit.h"

/* Beads move by up to half of the box, along any axis. */
static void moves_up_to_half_of_the_box(void **state)
{
  (void)state;
  const double box[BOX] = {EDGE, 2 * EDGE, 0.5 * EDGE};
  for (int d = 0; d < 3; d++)
    for (int sign = -1; sign < 2; sign += 2)
      for (int k = 0; k < 40; k++) {
        const double part = sign * (0.3 + 0.01 * k); /* of the edge: to 0.69 */
        double by[3] = {0.1 * box[0], 0.1 * box[1], 0.1 * box[2]}, r2 = 0;
        struct body b = {.x = {1, -7, 1 << 30}}, old = b;
        by[d] = part * box[d];
        for (int e = 0; e < 3; e++)
          r2 += by[e] * by[e];
        const double moved2 = body_shift(&b, by, box);
        assert_true(fabs(part) < 0.4999 ? fabs(moved2 - r2) < 1e-12
                                        : fabs(part) < 0.5001 || isinf(moved2));
        if (fabs(part) < 0.4999)
          assert_true(fabs(body_difference(&b, &old, d, box[d]) - by[d]) < 1e-9);
      }
}

/* The most that a bead of a cluster can be from another, by the lengths of the ways between them.
 */
static double reach_from(const struct shape *s, int from)
{
  double way[MOST], most = 0;
  for (int b = 0; b < s->n; b++)
    way[b] = b == from ? 0 : HUGE_VAL;
  for (int round = 0; round < s->n; round++)
    for (int p = 0; p < s->pairs; p++)
      for (int e = 0; e < 2; e++)
        way[s->pair[p][e]] = fmin(
            way[s->pair[p][e]], way[s->pair[p][1 - e]] + distance(s, s->pair[p][0], s->pair[p][1]));
  for (int b = 0; b < s->n; b++)
    most = fmax(most, way[b]);
  return most;
}

/* The lead is the bead that others can be least far from, and none is ever further. */
static void leads_are_in_the_middle(void **state)
{
  (void)state;
  for (int name = 0; name < SHAPES; name++)
    for (int k = 0; k < 10; k++) {
      const struct shape s = shape_named(name);
      struct test_cluster t;
      double least = HUGE_VAL;
      cluster_open(&t, &s, "", 0);
      for (int b = 0; b < s.n; b++)
        least = fmin(least, reach_from(&s, b));
      assert_true(fabs(t.c.type->reach - least) < 1e-12);
      assert_true(fabs(reach_from(&s, t.c.type->lead) - least) < 1e-12);
      for (int b = 0; b < s.n; b++)
        assert_true(distance(&s, t.c.type->lead, b) < least + 1e-12);
      cluster_close(&t);
    }
}

/* Sites are no further from the lead than the bound, wherever the constraints let their parents be;
   without constraints between these there is no bound. */
static void sites_are_within_reach(void **state)
{
  (void)state;
  static const char *const sites[] = {
      "{bead: 5, form: linear, from: [1, 3], a: 2.5}",
      "{bead: 5, form: distance, from: [3, 1], d: -0.9}",
      "{bead: 5, form: plane, from: [1, 2, 3], a: -1.5, b: 1.2}",
      "{bead: 5, form: plane_distance, from: [2, 1, 3], a: 0.4, d: 1.3}",
      "{bead: 5, form: in_plane, from: [2, 1, 3], a: 0.9, b: 1.1}",
      "{bead: 5, form: above_plane, from: [2, 1, 3, 4], a: 0.4, b: 0.8, c: 1.3}",
      "{bead: 5, form: out_of_plane, from: [3, 1, 2], a: 0.4, b: 0.3, c: -6.5}",
      "{bead: 5, form: centre, from: [1, 2, 3], weights: [1, -2.5, 3]}"};
  for (int form = 0; form < SITE_FORMS; form++) {
    double furthest = 0;
    for (int k = 0; k < 200; k++) { /* four beads in a chain that folds */
      struct shape s = {.n = 4};
      struct test_cluster t;
      shape_pair(&s, 0, 1);
      shape_pair(&s, 1, 2);
      shape_pair(&s, 2, 3);
      for (int b = 1; b < 4; b++) {
        double u[3], size = 0;
        for (int d = 0; d < 3; d++) {
          u[d] = (k == 0) * (d == 0) + (k > 0) * (random_number() - 0.5);
          size += u[d] * u[d];
        }
        for (int d = 0; d < 3; d++)
          s.x[b][d] = s.x[b - 1][d] + 0.4 * u[d] / sqrt(size);
      }
      cluster_open(&t, &s, sites[form], 1);
      cluster_place_sites(&t.c);
      for (int b = 0; b < 5; b++) {
        double r2 = 0;
        for (int d = 0; d < 3; d++)
          r2 += pow(body_difference(&t.body[b], &t.body[t.c.type->lead], d, EDGE), 2);
        furthest = fmax(furthest, sqrt(r2) / t.c.type->reach);
      }
      cluster_close(&t);
    }
    assert_true(furthest < 1 + 1e-9 && furthest > 0.3);
  }
  const struct shape loose = {.n = 4};
  struct test_cluster t;
  cluster_open(&t, &loose, sites[SITE_plane], 1);
  assert_true(isinf(t.c.type->reach) && t.c.type->lead < 5);
  cluster_close(&t);
}

/* Places of beads relative to each other, nm, along the axes of the box, from bead to bead. */
static void chain_of(const struct test_cluster *t, double x[MOST][3])
{
  const struct cluster_type *type = t->c.type;
  memset(x, 0, MOST * sizeof *x);
  for (int d = 0; d < 3; d++)
    for (int k = 0; k < type->n_beads - 1; k++) {
      const int to = type->walk[2 * k], from = type->walk[2 * k + 1];
      x[to][d] = x[from][d] + body_difference(&t->body[to], &t->body[from], d, t->c.box[d]);
    }
}

/* The centre of mass less bead 0, and its momentum; returns the mass. */
static double centre_of(const struct test_cluster *t, double x[MOST][3], double r[3], double p[3])
{
  double mass = 0;
  memset(r, 0, 3 * sizeof *r);
  memset(p, 0, 3 * sizeof *p);
  for (int i = 0; i < t->c.type->n_beads; i++) {
    mass += t->type[i].mass;
    for (int d = 0; d < 3; d++) {
      r[d] += t->type[i].mass * x[i][d];
      p[d] += t->body[i].p[d];
    }
  }
  for (int d = 0; d < 3; d++)
    r[d] /= mass;
  return mass;
}

/* A move of the box takes the centre of mass along, divides its momentum, and changes neither the
   places nor the velocities about it: for shapes that reach over half of the box, too. */
static void box_moves_centres(void **state)
{
  (void)state;
  for (int name = 0; name < 3 * SHAPES; name++) {
    const struct shape s = shape_named(name % SHAPES);
    const double stretch[3] = {1.02, 0.97, 1.003};
    struct test_cluster t;
    double x[MOST][3], moved[MOST][3], r[3], p[3], r2[3], p2[3];
    cluster_open(&t, &s, "", 0);
    chain_of(&t, x);
    const double mass = centre_of(&t, x, r, p);
    struct body before[MOST];
    memcpy(before, t.body, sizeof before);
    for (int d = 0; d < 3; d++)
      t.c.box[d] *= stretch[d];
    assert_true(cluster_stretch(&t.c, stretch));
    chain_of(&t, moved);
    centre_of(&t, moved, r2, p2);
    for (int d = 0; d < 3; d++) {
      const double first = body_difference(&t.body[0], &before[0], d, 1); /* of the box */
      assert_true(fabs(first + (r2[d] / stretch[d] - r[d]) / EDGE) < 1e-13);
      assert_true(fabs(p2[d] - p[d] / stretch[d]) < 1e-10);
      for (int i = 0; i < s.n; i++) {
        const double part = t.type[i].mass / mass;
        assert_true(fabs(moved[i][d] - x[i][d]) < 1e-12);
        assert_true(fabs((t.body[i].p[d] - part * p2[d]) - (before[i].p[d] - part * p[d])) < 1e-10);
      }
    }
    cluster_close(&t);
  }
}

/* The sums leave the kinetic energy of the centre and no virial, where all forces are inside of the
   cluster; a force on it acts at the centre. */
static void sums_of_the_centre(void **state)
{
  (void)state;
  const double scale = ldexp(1, 30);
  for (int name = 0; name < SHAPES; name++) {
    const struct shape s = shape_named(name);
    struct test_cluster t;
    double x[MOST][3], r[3], p[3], atoms[9] = {0}, push[3] = {0}, want[9] = {0};
    int64_t word[18] = {0}, overflow = 0, magnitude = 0;
    const struct cluster_words to = {word, word + 9, scale, &overflow, &magnitude};
    cluster_open(&t, &s, "", 0);
    chain_of(&t, x);
    const double mass = centre_of(&t, x, r, p);
    for (int i = 0; i < s.n; i++)
      for (int k = 0; k < 9; k++) {
        atoms[k] += x[i][k / 3] * t.body[i].force[k % 3] +
                    t.body[i].p[k / 3] * t.body[i].p[k % 3] / t.type[i].mass;
        if (k < 3) push[k] += t.body[i].force[k];
      }
    for (int k = 0; k < 9; k++)
      want[k] = r[k / 3] * push[k % 3] + p[k / 3] * p[k % 3] / mass;
    cluster_add_sums(&t.c, &to);
    for (int k = 0; k < 9; k++) {
      const double got = atoms[k] + (double)(word[k] - word[9 + k]) / scale;
      if (fabs(got - want[k]) > 1e-6 * (1 + fabs(atoms[k])))
        fail_msg("shape %d, element %d: %g, not %g", name, k, got, want[k]);
    }
    assert_true(overflow == 0 && magnitude > 0);
    cluster_close(&t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moves_up_to_half_of_the_box), cmocka_unit_test(leads_are_in_the_middle),
      cmocka_unit_test(sites_are_within_reach), cmocka_unit_test(box_moves_centres),
      cmocka_unit_test(sums_of_the_centre)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
