/* Clusters: lengths, momentum, angular momentum and energy of free clusters of many shapes; forces
   of constraints against the motion. */
#include <stdlib.h>

#include "../support/cluster_shapes.h"
#include "tests/support/apart.h"
#include "tests/support/unit.h"

/* The largest relative error of lengths, and of d.v relative to |d||v|. */
static void errors_of(const struct test_cluster *t, double *length, double *speed)
{
  *length = *speed = 0;
  for (int k = 0; k < t->c.type->n_constraints; k++) {
    const struct cluster_constraint *to = &t->c.type->constraint[k];
    double v[3], dot = 0, v2 = 0;
    cluster_vector(&t->c, k, v);
    const double r = sqrt(vec3d_dot(v, v));
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
    double r[3];
    for (int d = 0; d < 3; d++)
      r[d] = body_difference(b, origin, d, EDGE);
    motion_add(out, r, b, t->type[i].inverse_mass);
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

/* A drift with the reference of the kick before it has the bits of one with its own: also where a
   second drift, after noise, and one in a scaled box need a reference of their own. */
static void reference_is_kept(void **state)
{
  (void)state;
  struct scaling wider = scaling_none();
  wider.stretch[0] = 1.001;
  for (int name = 0; name < 3 * SHAPES; name++) {
    const struct shape s = shape_named(name % SHAPES);
    struct integrate_params m = {.dt = 0.01, .noise = name >= SHAPES, .seed = 5};
    struct test_cluster t;
    struct body start[MOST], kept[MOST];
    int64_t all[MOST] = {0};
    int bead[MOST];
    for (int k = 0; k < MOST; k++)
      bead[k] = k;
    const struct cluster_ids id = {all, bead};
    m.bath[0].decay = 0.99;
    m.bath[0].kT = 2.5;
    cluster_open(&t, &s, "", 0);
    memcpy(start, t.body, sizeof start);
    for (int referred = 1; referred >= 0; referred--) {
      memcpy(t.body, start, sizeof start);
      t.c.box[0] = EDGE;
      cluster_kick(&t.c, 0.005);
      if (name >= 2 * SHAPES) t.c.box[0] *= wider.stretch[0];
      assert_true(cluster_move(&t.c, &id, &m, name < 2 * SHAPES ? NULL : &wider, 7, referred));
      if (referred) memcpy(kept, t.body, sizeof kept);
    }
    assert_memory_equal(kept, t.body, sizeof kept);
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

/* The mean of the squares of a length a step before and after, by the momenta half a step before
   and after. Adds the squares of how far its beads come apart to *size. */
static double square_carried(const struct test_cluster *t, int k, double h, double *size)
{
  const int *bead = t->c.type->constraint[k].bead;
  double v[3], sum = 0;
  cluster_vector(&t->c, k, v);
  for (int way = -1; way <= 1; way += 2)
    for (int d = 0; d < 3; d++) {
      double speed[2];
      for (int j = 0; j < 2; j++) {
        const struct body *b = &t->body[bead[j]];
        const double force = b->force[d] + t->c.move[3 * bead[j] + d];
        speed[j] = (b->p[d] + way * h * force) * t->type[bead[j]].inverse_mass;
      }
      const double moved = way * 2 * h * (speed[0] - speed[1]);
      sum += (v[d] + moved) * (v[d] + moved) / 2;
      *size += moved * moved;
    }
  return sum;
}

/* Lengths a step before and after are those of now, with the forces that carry the beads. */
static void forces_that_carry(void **state)
{
  (void)state;
  const double h = 0.005; /* ps, half a step */
  for (int name = 0; name < SHAPES; name++) {
    const struct shape s = shape_named(name);
    struct test_cluster t;
    double most = 0;
    cluster_open(&t, &s, "", 0);
    cluster_refer(&t.c);
    cluster_project(&t.c);
    for (int way = 0; way < 2; way++) { /* 0: with the forces of the momenta of the state */
      cluster_balance(&t.c, 1);
      cluster_balance_carried(&t.c, way ? h : 0);
      for (int k = 0; k < t.c.type->n_constraints; k++) {
        const double length = t.c.type->constraint[k].length;
        double size = 0;
        const double wrong = fabs(square_carried(&t, k, h, &size) - length * length);
        if (way)
          assert_true(wrong < 1e-5 * size);
        else
          most = fmax(most, wrong / size);
      }
    }
    assert_true(most > 1e-4);
    cluster_close(&t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_flight),          cmocka_unit_test(reference_is_kept),
      cmocka_unit_test(hard_shapes),          cmocka_unit_test(independent_constraints),
      cmocka_unit_test(lengths_are_restored), cmocka_unit_test(forces_of_constraints),
      cmocka_unit_test(forces_that_carry)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
