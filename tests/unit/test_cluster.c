/* Clusters: lengths, momentum, angular momentum and energy of free clusters of many shapes; forces
   of virtual sites against slopes of their places; forces of constraints against the motion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "dynamics/cluster_body.h"
#include "input/forcefield_file.h"

enum { TEXT = 40000, MOST = CLUSTER_BEADS_MOST };
#define EDGE 7.0 /* of the box, nm */

/* Numbers at random in (0, 1), by a count that goes on. */
static double random_number(void)
{
  static uint64_t count;
  return ((double)rng_words(11, count++, 0, RNG_BUILD).word[0] + 0.5) / 4294967296.0;
}

/* A cluster in a shape: beads, and pairs of them at the distance they have there. */
struct shape {
  int n, pairs, pair[CLUSTER_CONSTRAINTS_MOST][2];
  double x[MOST][3];
};

struct test_cluster {
  struct forcefield *ff;
  struct cluster c;
  struct body body[MOST];
  struct body_type type[MOST];
  const struct body_type *inertia[MOST];
  double *room;
};

static void shape_pair(struct shape *s, int a, int b)
{
  s->pair[s->pairs][0] = a;
  s->pair[s->pairs++][1] = b;
}

/* Random places, each at least 0.25 nm from the one before it. */
static struct shape shape_of(int n)
{
  struct shape s = {.n = n};
  for (int k = 1; k < n; k++)
    for (int d = 0; d < 3; d++)
      s.x[k][d] = s.x[k / 3][d] + (random_number() < 0.5 ? -1 : 1) * (0.15 + 0.3 * random_number());
  return s;
}

enum { CHAIN, TRIANGLE, TETRAHEDRON, K5, FLAT, LADDER, TREE, PAIR, SHAPES };

static struct shape shape_named(int name)
{
  static const int size[SHAPES] = {9, 3, 4, 5, 4, 16, 43, 2};
  struct shape s = shape_of(size[name]);
  for (int a = 0; a < s.n; a++)
    for (int b = a + 1; b < s.n; b++) {
      const int all = name == TRIANGLE || name == TETRAHEDRON || name == K5 || name == PAIR;
      const int near = (name == CHAIN && b == a + 1) || (name == TREE && a == b / 3) ||
                       (name == LADDER && b <= a + 3) || (name == FLAT && b != a + 3);
      if (all || near) shape_pair(&s, a, b);
    }
  for (int k = 0; name == FLAT && k < s.n; k++)
    s.x[k][2] = 0;
  return s;
}

static double distance(const struct shape *s, int a, int b)
{
  double r2 = 0;
  for (int d = 0; d < 3; d++)
    r2 += (s->x[a][d] - s->x[b][d]) * (s->x[a][d] - s->x[b][d]);
  return sqrt(r2);
}

/* A force field with one molecule; sites: the YAML text of the entries of `sites`. */
static struct forcefield *field_of(const struct shape *s, const char *sites, int n_sites)
{
  char *text = alloc_array(TEXT, 1);
  size_t n =
      (size_t)snprintf(text, TEXT,
                       "format: 1\nname: t\ncutoff: 1\ntypes:\n  A: {mass: 72}\n  B: {mass: "
                       "36}\n  S: {mass: 0}\npair:\n  lj: {truncation: cut, mixing: "
                       "geometric}\n  electrostatics: {truncation: none}\n  table:\n    - "
                       "[A, A, {epsilon: 1, sigma: 0.3}]\n    - [B, B, {epsilon: 1, sigma: "
                       "0.3}]\n    - [S, S, {epsilon: 1, sigma: 0.3}]\nmolecules:\n  M:\n    "
                       "beads: [");
  for (int k = 0; k < s->n + n_sites; k++)
    n += (size_t)snprintf(text + n, TEXT - n, "%s%s", k ? ", " : "",
                          k >= s->n ? "S"
                          : k % 3   ? "A"
                                    : "B");
  n += (size_t)snprintf(text + n, TEXT - n, "]\n    constraints: [");
  for (int k = 0; k < s->pairs; k++)
    n += (size_t)snprintf(text + n, TEXT - n, "%s[%d, %d, %.17g]", k ? ", " : "", s->pair[k][0] + 1,
                          s->pair[k][1] + 1, distance(s, s->pair[k][0], s->pair[k][1]));
  snprintf(text + n, TEXT - n, "]\n    sites: [%s]\n", sites);
  struct forcefield *ff = forcefield_parse(text, "test.yaml");
  free(text);
  return ff;
}

static void body_put(struct body *b, const double x[3])
{
  for (int d = 0; d < 3; d++) {
    const double fraction = x[d] / EDGE - floor(x[d] / EDGE);
    const uint64_t fixed = (uint64_t)ldexp(fraction, 63) << 1;
    b->x[d] = (int32_t)(uint32_t)(fixed >> 32);
    b->residual[d] = (uint32_t)fixed;
  }
}

/* The cluster at a random place of the box, with random momenta and forces. */
static void cluster_open(struct test_cluster *t, const struct shape *s, const char *sites,
                         int n_sites)
{
  double at[3];
  memset(t, 0, sizeof *t);
  t->ff = field_of(s, sites, n_sites);
  assert_int_equal(t->ff->n_clusters, 1);
  t->room = alloc_array(cluster_room(t->ff->cluster), sizeof *t->room);
  t->c = (struct cluster){.type = t->ff->cluster,
                          .body = t->body,
                          .inertia = t->inertia,
                          .box = {EDGE, EDGE, EDGE},
                          .lanes = {0, 1, 1}};
  cluster_set_room(&t->c, t->room);
  for (int d = 0; d < 3; d++)
    at[d] = EDGE * random_number();
  for (int k = 0; k < t->ff->molecule->n_beads; k++) {
    t->type[k] = body_type_of(&t->ff->type[t->ff->molecule->bead[k]]);
    t->inertia[k] = &t->type[k];
    const double x[3] = {at[0] + s->x[k][0], at[1] + s->x[k][1], at[2] + s->x[k][2]};
    body_put(&t->body[k], x);
    for (int d = 0; d < 3; d++) {
      t->body[k].p[d] = 25 * (2 * random_number() - 1) * (t->type[k].mass > 0);
      t->body[k].force[d] = 300 * (2 * random_number() - 1);
    }
  }
}

static void cluster_close(struct test_cluster *t)
{
  free(t->room);
  forcefield_destroy(t->ff);
}

/* The largest relative error of lengths, and of d.v relative to |d||v|. */
static void errors_of(const struct test_cluster *t, double *length, double *speed)
{
  *length = *speed = 0;
  for (int k = 0; k < t->c.type->n_constraints; k++) {
    const struct cluster_constraint *to = &t->c.type->constraint[k];
    double v[3], dot = 0, v2 = 0;
    cluster_vector(&t->c, k, v);
    const double r = sqrt(site_dot(v, v));
    for (int d = 0; d < 3; d++) {
      const double w = t->body[to->bead[0]].p[d] / t->type[to->bead[0]].mass -
                       t->body[to->bead[1]].p[d] / t->type[to->bead[1]].mass;
      dot += v[d] * w;
      v2 += w * w;
    }
    *length = fmax(*length, fabs(r / to->length - 1));
    *speed = fmax(*speed, fabs(dot) / (r * sqrt(v2) + 1e-300));
  }
}

/* Momentum, angular momentum about the place of the first bead, kinetic energy. */
static void motion_of(const struct test_cluster *t, const struct body *origin, double out[7])
{
  for (int k = 0; k < 7; k++)
    out[k] = 0;
  for (int i = 0; i < t->c.type->n_beads; i++) {
    const struct body *b = &t->body[i];
    double r[3], turn[3];
    for (int d = 0; d < 3; d++) {
      r[d] = body_difference(b, origin, d, EDGE);
      out[d] += b->p[d];
      out[6] += 0.5 * b->p[d] * b->p[d] * t->type[i].inverse_mass;
    }
    site_cross(r, b->p, turn);
    for (int d = 0; d < 3; d++)
      out[3 + d] += turn[d];
  }
}

/* Free flight: what is conserved, to rounding, and lengths at each step. */
static void free_flight(void **state)
{
  (void)state;
  for (int name = 0; name < SHAPES; name++) {
    const struct shape s = shape_named(name);
    struct test_cluster t;
    struct integrate_params m = {.dt = 0.01};
    double length, speed, before[7], after[7];
    cluster_open(&t, &s, "", 0);
    for (int k = 0; k < s.n; k++)
      memset(t.body[k].force, 0, sizeof t.body[k].force);
    const struct body origin = t.body[0];
    motion_of(&t, &origin, before);
    cluster_kick(&t.c, 0.005);
    motion_of(&t, &origin, after);
    for (int k = 0; k < 6; k++) /* momenta along constraints carry none of these */
      assert_true(fabs(after[k] - before[k]) < 1e-10 * (1 + fabs(before[k])));
    assert_true(after[6] < before[6]);
    memcpy(before, after, sizeof before);
    for (int step = 0; step < 200; step++) {
      assert_true(cluster_move(&t.c, NULL, &m, NULL, step, step % 2));
      errors_of(&t, &length, &speed);
      assert_true(length < 1e-10);
      cluster_kick(&t.c, 0.005);
      errors_of(&t, &length, &speed);
      assert_true(length < 1e-10 && speed < 1e-10);
    }
    motion_of(&t, &origin, after);
    for (int k = 0; k < 6; k++)
      assert_true(fabs(after[k] - before[k]) < 1e-8 * (1 + fabs(before[k])));
    assert_true(fabs(after[6] - before[6]) < 0.03 * before[6]);
    cluster_close(&t);
  }
}

/* Shapes near those in which constraints do not determine the motion. bend: of the line, degrees.
 */
enum { LINE, RING, SQUARE, CHAIN20, HARD_SHAPES };

static struct shape hard_shape(int name, double bend)
{
  static const int size[HARD_SHAPES] = {3, 6, 4, 20};
  const double angle = 3.14159265358979323846 / 180;
  struct shape s = shape_of(size[name]);
  for (int k = 0; k < s.n && name != CHAIN20; k++) {
    const double turn = 2 * 180.0 / s.n * k * angle;
    s.x[k][0] = name == LINE ? 0.3 * (k - 1) : 0.3 * cos(turn);
    s.x[k][1] = name == LINE ? (k == 1) * 0.3 * tan(0.5 * bend * angle) : 0.3 * sin(turn);
    s.x[k][2] = 0;
  }
  for (int a = 0; a < s.n; a++)
    for (int b = a + 1; b < s.n; b++) {
      const int next = b == a + 1 || (name == RING && b == a + s.n - 1);
      const int across = name == RING && a % 2 == 0 && b % 2 == 0;
      if (name == LINE || name == SQUARE || next || across) shape_pair(&s, a, b);
    }
  return s;
}

/* Steps that the cluster takes from random momenta, at most 100; each ends with the lengths. */
static int steps_of(const struct shape *s)
{
  struct test_cluster t;
  struct integrate_params m = {.dt = 0.01};
  double length, speed;
  int step = 0;
  cluster_open(&t, s, "", 0);
  for (int i = 0; i < s->n; i++)
    memset(t.body[i].force, 0, sizeof t.body[i].force);
  for (cluster_kick(&t.c, 0.005); step < 100; step++) {
    if (!cluster_move(&t.c, NULL, &m, NULL, step, 1)) break;
    cluster_kick(&t.c, 0.005);
    errors_of(&t, &length, &speed);
    assert_true(length < 1e-10 && speed < 1e-8);
  }
  cluster_close(&t);
  return step;
}

/* Bent lines, rings of six with a triangle across, and chains are solved. A line of three and a
   square with both diagonals, which nothing holds straight or flat, are refused. */
static void hard_shapes(void **state)
{
  (void)state;
  for (int k = 0; k < 100; k++) {
    static const double bends[] = {20, 5, 1, 0.1, 0};
    for (int name = 0; name < HARD_SHAPES; name++) {
      const struct shape s = hard_shape(name, bends[k % 5]);
      const int steps = steps_of(&s), bent = name == LINE && k % 5 > 1 && k % 5 < 4;
      assert_true(bent || steps == (name == SQUARE || (name == LINE && k % 5 == 4) ? 0 : 100));
    }
  }
}

/* Degrees of freedom, where they are known. */
static void independent_constraints(void **state)
{
  (void)state;
  static const int taken[SHAPES] = {8, 3, 6, 9, 5, 42, 42, 1};
  for (int name = 0; name < SHAPES; name++) {
    const struct shape s = shape_named(name);
    struct forcefield *ff = field_of(&s, "", 0);
    assert_int_equal(ff->cluster->independent, taken[name]);
    forcefield_destroy(ff);
  }
}

/* 1 if every constraint is independent of those before it by a few degrees, or not at all: beads of
   a triangle that is almost a line have no way back to it. */
static int is_stiff(const struct cluster *c)
{
  const int n = c->type->n_constraints;
  cluster_refer(c);
  for (int k = 0; k < n; k++) {
    const double pivot = c->matrix[k * n + k] / cluster_diagonal(c, k);
    if (pivot > 0 && pivot < 1e-3) return 0;
  }
  return 1;
}

/* Beads off their places by what files with three decimals leave come back to the lengths. */
static void lengths_are_restored(void **state)
{
  (void)state;
  int n = 0;
  for (int name = 0; name < SHAPES; name++)
    for (int k = 0; k < 20; k++) {
      struct shape s = shape_named(name);
      struct test_cluster t;
      double length, speed;
      cluster_open(&t, &s, "", 0);
      if (!is_stiff(&t.c)) {
        cluster_close(&t);
        continue;
      }
      n++;
      for (int i = 0; i < s.n; i++) {
        double x[3];
        for (int d = 0; d < 3; d++)
          x[d] = s.x[i][d] + 0.001 * (2 * random_number() - 1) * (name != FLAT || d < 2);
        body_put(&t.body[i], x);
      }
      assert_true(cluster_restore(&t.c));
      errors_of(&t, &length, &speed);
      assert_true(length < 1e-10);
      cluster_close(&t);
    }
  assert_true(n > 10 * SHAPES);
}

/* The force of a constraint is what keeps its length: the lengths of beads that move with it, from
   the same state, change by the fourth power of a short time only where forces are constant. */
static void forces_of_constraints(void **state)
{
  (void)state;
  for (int name = 0; name < SHAPES; name++) {
    const struct shape s = shape_named(name);
    struct test_cluster t;
    cluster_open(&t, &s, "", 0);
    cluster_refer(&t.c);
    cluster_project(&t.c);
    cluster_balance(&t.c, 1);
    for (int i = 0; i < s.n; i++)
      cluster_pull(&t.c, i, -1, t.body[i].force);
    for (int k = 0; k < t.c.type->n_constraints; k++) { /* second derivative of r^2 / 2 */
      const int *bead = t.c.type->constraint[k].bead;
      double v[3], sum = 0, size = 0;
      cluster_vector(&t.c, k, v);
      for (int d = 0; d < 3; d++) {
        const double w = t.body[bead[0]].p[d] / t.type[bead[0]].mass -
                         t.body[bead[1]].p[d] / t.type[bead[1]].mass;
        const double a = t.body[bead[0]].force[d] / t.type[bead[0]].mass -
                         t.body[bead[1]].force[d] / t.type[bead[1]].mass;
        sum += w * w + v[d] * a;
        size += w * w + fabs(v[d] * a);
      }
      assert_true(fabs(sum) < 1e-8 * (size + 1));
    }
    cluster_close(&t);
  }
}

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
    site_add(1, share + 3 * j, t->body[w.site->from[j]].force);
  memcpy(old, t->body, sizeof old);
  for (int j = 0; j < w.site->n; j++) {
    const int parent = w.site->from[j];
    double arm[3], part[3];
    site_arm(&w, w.site->bead, parent, arm);
    site_cross(arm, old[parent].force, part);
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
      const int one_place = k % 3 == 2 && (form == SITE_distance || form == SITE_plane_distance);
      assert_site(&t, !one_place);
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_flight),
                                     cmocka_unit_test(hard_shapes),
                                     cmocka_unit_test(independent_constraints),
                                     cmocka_unit_test(lengths_are_restored),
                                     cmocka_unit_test(forces_of_constraints),
                                     cmocka_unit_test(forces_of_sites),
                                     cmocka_unit_test(sites_on_sites)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
