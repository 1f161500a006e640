/* Clusters: lengths, momentum, angular momentum and energy of free clusters of many shapes; forces
   of constraints against the motion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/cluster_shapes.h"

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

/* Beads move by up to half of the box, along any axis. */
static void moves_up_to_half_of_the_box(void **state)
{
  (void)state;
  const double box[3] = {EDGE, 2 * EDGE, 0.5 * EDGE};
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
      "{bead: 4, form: linear, from: [1, 3], a: 2.5}",
      "{bead: 4, form: distance, from: [3, 1], d: -0.9}",
      "{bead: 4, form: plane, from: [1, 2, 3], a: -1.5, b: 1.2}",
      "{bead: 4, form: plane_distance, from: [2, 1, 3], a: 0.4, d: 1.3}",
      "{bead: 4, form: out_of_plane, from: [3, 1, 2], a: 0.4, b: 0.3, c: -6.5}",
      "{bead: 4, form: centre, from: [1, 2, 3], weights: [1, -2.5, 3]}"};
  for (int form = 0; form < SITE_FORMS; form++) {
    double furthest = 0;
    for (int k = 0; k < 200; k++) { /* three beads in a chain that folds */
      struct shape s = {.n = 3};
      struct test_cluster t;
      shape_pair(&s, 0, 1);
      shape_pair(&s, 1, 2);
      for (int b = 1; b < 3; b++) {
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
      for (int b = 0; b < 4; b++) {
        double r2 = 0;
        for (int d = 0; d < 3; d++)
          r2 += pow(body_difference(&t.body[b], &t.body[t.c.type->lead], d, EDGE), 2);
        furthest = fmax(furthest, sqrt(r2) / t.c.type->reach);
      }
      cluster_close(&t);
    }
    assert_true(furthest < 1 + 1e-9 && furthest > 0.3);
  }
  const struct shape loose = {.n = 3};
  struct test_cluster t;
  cluster_open(&t, &loose, sites[SITE_plane], 1);
  assert_true(isinf(t.c.type->reach) && t.c.type->lead < 4);
  cluster_close(&t);
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(free_flight),
                                     cmocka_unit_test(reference_is_kept),
                                     cmocka_unit_test(hard_shapes),
                                     cmocka_unit_test(independent_constraints),
                                     cmocka_unit_test(moves_up_to_half_of_the_box),
                                     cmocka_unit_test(leads_are_in_the_middle),
                                     cmocka_unit_test(sites_are_within_reach),
                                     cmocka_unit_test(lengths_are_restored),
                                     cmocka_unit_test(forces_of_constraints),
                                     cmocka_unit_test(forces_that_carry),
                                     cmocka_unit_test(box_moves_centres),
                                     cmocka_unit_test(sums_of_the_centre)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
