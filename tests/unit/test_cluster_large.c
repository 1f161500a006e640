/* Clusters of 65 to 1024 beads: lengths, momentum, angular momentum and energy of free ones of many
   shapes; solutions of their sparse equations put into the equations; degrees of freedom; levels.
 */
#include <stdlib.h>

#include "../support/cluster_shapes.h"
#include "tests/support/apart.h"
#include "tests/support/unit.h"

/* Beads in a helix of 0.38 nm between neighbours: a chain; a ring; a backbone of every fourth bead
   with triangles of side beads; a beam, each bead held to the three before it; the same with a few
   constraints more, which follow from others; a bead with 69 others on a line around it. */
enum { HELIX, RING, SIDES, BEAM, BRACED, STAR, LARGE_SHAPES };
static const int beads_of[][2] = {{HELIX, 65},   {HELIX, 145}, {HELIX, 241}, {HELIX, 1024},
                                  {RING, 145},   {RING, 512},  {SIDES, 80},  {SIDES, 241},
                                  {SIDES, 1024}, {BEAM, 65},   {BEAM, 241},  {BEAM, 1024},
                                  {BRACED, 70},  {STAR, 70}};
enum { CASES = sizeof beads_of / sizeof beads_of[0] };
enum { BRACES = 6 };

static int is_held(int name, int n, int a, int b)
{
  switch (name) {
  case HELIX:
    return b == a + 1;
  case RING:
    return b == a + 1 || b == a + n - 1;
  case SIDES:
    return a % 4 ? b / 4 == a / 4 : b == a + 1 || b == a + 4;
  case BEAM:
    return b <= a + 3;
  case BRACED:
    return b <= a + 3 || (b == a + 4 && a < BRACES);
  default:
    return a == 0;
  }
}

static void large_shape(struct shape *s, int name, int n)
{
  const double turn = name == RING ? 2 * 3.14159265358979323846 / n : 1.745;
  const double radius = name == RING ? 0.19 / sin(0.5 * turn) : 0.23;
  memset(s, 0, sizeof *s);
  s->n = n;
  for (int k = 0; k < n; k++) {
    const int back = name == SIDES ? k - k % 4 : k, side = k - back;
    const double out = name == STAR && k ? 0.4 + 0.002 * k : radius + 0.25 * (side > 0);
    s->x[k][0] = out * cos(turn * back + (side > 1 ? side - 2.5 : 0)) + 0.02 * random_number();
    s->x[k][1] = out * sin(turn * back + (side > 1 ? side - 2.5 : 0)) + 0.02 * random_number();
    s->x[k][2] = (name == RING   ? 0.1 * (k % 2)
                  : name == STAR ? 0.003 * k
                                 : 0.15 * back) +
                 0.1 * side;
  }
  for (int a = 0; a < n; a++)
    for (int b = a + 1; b < n; b++)
      if (is_held(name, n, a, b)) shape_pair(s, a, b);
}

/* Opens a case, without forces. */
static void large_open(struct test_cluster *t, struct shape *s, int k)
{
  large_shape(s, beads_of[k][0], beads_of[k][1]);
  cluster_open(t, s, "", 0);
  for (int i = 0; i < s->n; i++)
    memset(t->body[i].force, 0, sizeof t->body[i].force);
}

/* The largest relative errors of lengths, and of d.v relative to |d||v|. */
static void errors_of(const struct test_cluster *t, double error[2])
{
  error[0] = error[1] = 0;
  for (int k = 0; k < t->c.type->n_constraints; k++) {
    const struct cluster_constraint *to = &t->c.type->constraint[k];
    double d[3], v[3];
    cluster_vector(&t->c, k, d);
    for (int m = 0; m < 3; m++)
      v[m] = t->body[to->bead[0]].p[m] / t->type[to->bead[0]].mass -
             t->body[to->bead[1]].p[m] / t->type[to->bead[1]].mass;
    error[0] = fmax(error[0], fabs(sqrt(vec3d_dot(d, d)) / to->length - 1));
    error[1] =
        fmax(error[1], fabs(vec3d_dot(d, v)) / sqrt(vec3d_dot(d, d) * vec3d_dot(v, v) + 1e-300));
  }
}

/* Momentum, angular momentum, kinetic energy. The beads were at the places of s when they were as
   in `start`. */
static void motion_of(const struct test_cluster *t, const struct shape *s, const struct body *start,
                      double out[7])
{
  memset(out, 0, 7 * sizeof *out);
  for (int i = 0; i < s->n; i++) {
    const struct body *b = &t->body[i];
    double r[3];
    for (int d = 0; d < 3; d++)
      r[d] = s->x[i][d] + body_difference(b, &start[i], d, EDGE);
    motion_add(out, r, b, t->type[i].inverse_mass);
  }
}

/* Free flight: what is conserved, and lengths at each step. */
static void free_flight(void **state)
{
  (void)state;
  static struct test_cluster t;
  static struct shape s;
  static struct body start[MOST];
  const struct integrate_params m = {.dt = 0.01};
  for (int k = 0; k < CASES; k++) {
    double error[2], before[7], after[7];
    large_open(&t, &s, k);
    memcpy(start, t.body, sizeof start);
    motion_of(&t, &s, start, before);
    cluster_kick(&t.c, 0.005);
    motion_of(&t, &s, start, after);
    for (int d = 0; d < 6; d++) /* momenta along constraints carry none of these */
      assert_true(fabs(after[d] - before[d]) < 1e-8 * (1 + fabs(before[d])));
    assert_true(after[6] < before[6]);
    memcpy(before, after, sizeof before);
    for (int step = 0; step < 20; step++) {
      assert_true(cluster_move(&t.c, NULL, &m, NULL, step, step % 2));
      cluster_kick(&t.c, 0.005);
      errors_of(&t, error);
      assert_true(error[0] < 1e-10 && error[1] < 1e-8);
    }
    motion_of(&t, &s, start, after);
    for (int d = 0; d < 6; d++)
      assert_true(fabs(after[d] - before[d]) < 1e-7 * (1 + fabs(before[d])));
    assert_true(fabs(after[6] - before[6]) < 0.01 * before[6]);
    cluster_close(&t);
  }
}

/* The inverse masses of the beads that constraints k and l share, with the sign of the work. */
static double shared_of(const struct test_cluster *t, int k, int l)
{
  const int *a = t->c.type->constraint[k].bead, *b = t->c.type->constraint[l].bead;
  double sum = 0;
  for (int e = 0; e < 4; e++)
    if (a[e / 2] == b[e % 2]) sum += (e / 2 == e % 2 ? 1 : -1) / t->type[a[e / 2]].mass;
  return sum;
}

/* The solution of the equations, put into them. newton: those of the present vectors, after moves
   of some of a length. */
static void equations_are_solved(void **state)
{
  (void)state;
  static struct test_cluster t;
  static struct shape s;
  static double right[PAIRS];
  for (int k = 0; k < CASES; k++)
    for (int newton = 0; newton < 2; newton++) {
      large_open(&t, &s, k);
      const int n = t.c.type->n_constraints;
      cluster_refer(&t.c);
      for (int i = 0; i < 3 * s.n; i++)
        t.c.move[i] = newton ? 0.02 * (random_number() - 0.5) : 0;
      for (int i = 0; i < n; i++)
        t.c.multiplier[i] = right[i] = beads_of[k][0] == BRACED ? 0 : random_number() - 0.5;
      if (newton)
        cluster_solve_newton(&t.c);
      else
        cluster_solve(&t.c);
      for (int i = 0; i < n; i++) {
        double v[3], lack = right[i], size = fabs(right[i]);
        cluster_lack(&t.c, i, v);
        for (int l = 0; l < n; l++) {
          const double term = shared_of(&t, i, l) * vec3d_dot(v, t.c.vector + 3 * l);
          lack -= term * t.c.multiplier[l];
          size += fabs(term * t.c.multiplier[l]);
        }
        assert_true(fabs(lack) <= 1e-9 * size);
      }
      cluster_close(&t);
    }
}

/* Degrees of freedom where they are known, and as many pivots. */
static void independent_constraints(void **state)
{
  (void)state;
  static struct test_cluster t;
  static struct shape s;
  for (int k = 0; k < CASES; k++) {
    int pivots = 0;
    large_open(&t, &s, k);
    const struct cluster_type *type = t.c.type;
    const int braces = beads_of[k][0] == BRACED ? BRACES : 0;
    assert_int_equal(type->n_constraints, s.pairs);
    assert_int_equal(type->independent, s.pairs - braces);
    cluster_refer(&t.c);
    for (int c = 0; c < s.pairs; c++)
      pivots += t.c.matrix[c] > 0;
    assert_int_equal(pivots, s.pairs - braces);
    cluster_close(&t);
  }
}

/* A chain of n constraints takes about log2 n levels and 2 n entries, also one that closes. */
static void chains_are_short_work(void **state)
{
  (void)state;
  static struct test_cluster t;
  static struct shape s;
  for (int k = 0; k < CASES; k++) {
    large_open(&t, &s, k);
    const struct cluster_pattern *p = &t.c.type->pattern;
    const int chain = beads_of[k][0] == HELIX || beads_of[k][0] == RING;
    if (chain) assert_true(p->n_levels <= log2(s.n) + 3 && p->n_entries <= 2 * s.n);
    if (beads_of[k][0] == SIDES)
      assert_true(p->n_levels <= 2 * log2(s.n) && p->n_entries <= 4 * s.n);
    for (int e = 0; e < p->n_entries; e++)
      for (int l = 0; l < p->n_levels; l++) /* none of a level needs another */
        assert_false(p->column_of[e] >= p->level[l] && p->row_of[e] < p->level[l + 1]);
    cluster_close(&t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_flight), cmocka_unit_test(equations_are_solved),
      cmocka_unit_test(independent_constraints), cmocka_unit_test(chains_are_short_work)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
