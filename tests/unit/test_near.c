/* Beads near points against all distances: periodic boxes, points on corners, cell faces and beads,
   radii up to beyond half the box, no beads at all; and one order, whatever the order of the beads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/torus.h"
#include "cpu/cells_reach.h"
#include "tests/support/unit.h"

enum { BEADS = 500, POINTS = 120 };

struct scene {
  double box[BOX], radius; /* radius: of the grid */
  int n;
  int32_t x[BEADS][3], point[POINTS][3];
  int64_t id[BEADS];
};

static int32_t word(int k, int axis)
{
  const uint32_t v = rng_words(23, (uint64_t)axis, (uint64_t)k, RNG_BUILD).word[0];
  int32_t x;
  memcpy(&x, &v, sizeof x);
  return x;
}

/* Points at random, at corners and middles of the box, and on beads. */
static struct scene scene_make(double lx, double ly, double lz, double radius, int n)
{
  struct scene s = {.box = {lx, ly, lz}, .radius = radius, .n = n};
  for (int a = 0; a < 3; a++) {
    for (int k = 0; k < n; k++)
      s.x[k][a] = word(k, a);
    for (int k = 0; k < POINTS; k++)
      s.point[k][a] = k < 8         ? (k >> a & 1 ? -1 : 0)
                      : k < 16      ? (k >> a & 1 ? INT32_MIN : INT32_MAX)
                      : k < 40 && n ? s.x[k % n][a]
                                    : word(k, a + 3);
  }
  for (int k = 0; k < n; k++)
    s.id[k] = 1 + (int64_t)k * 5;
  return s;
}

/* What a search of some radius is to find. */
struct expected {
  const struct scene *scene;
  double least, radius;
  const int *order; /* scene bead at each place; NULL: the same */
  int64_t found;    /* in all */
  int64_t hash;     /* of ids in their order */
};

static double distance(const struct scene *s, const int32_t *a, const int32_t *b)
{
  const double *v = s->box;
  long double f[3];
  for (int k = 0; k < 3; k++) {
    f[k] = ((long double)a[k] - (long double)b[k]) / 4294967296.0L;
    f[k] -= floorl(f[k] + 0.5L);
  }
  return (double)sqrtl(powl(f[0] * v[0] + f[1] * v[3] + f[2] * v[4], 2) +
                       powl(f[1] * v[1] + f[2] * v[5], 2) + powl(f[2] * v[2], 2));
}

static void check_point(struct expected *e, int point, int n, const int *bead)
{
  const struct scene *s = e->scene;
  int times[BEADS] = {0};
  for (int k = 0; k < n; k++) {
    int b = e->order ? e->order[bead[k]] : bead[k];
    times[b]++;
    e->hash = (int64_t)((uint64_t)e->hash * 1099511628211u + (uint64_t)s->id[b]);
  }
  e->found += n;
  for (int b = 0; b < s->n; b++) {
    double d = distance(s, s->point[point], s->x[b]);
    if (fabs(d - e->radius) > 1e-12 * e->radius && fabs(d - e->least) > 1e-12 * e->radius)
      assert_int_equal(times[b], d < e->radius && d >= e->least);
  }
}

/* The beads near a point by cells and distances. Returns their number. */
static int search_point(const struct cells *c, const struct expected *e, const int32_t point[3],
                        int bead[BEADS])
{
  const double radius = e->radius * CELLS_MARGIN;
  struct reach_room room = reach_room_make(&c->grid, radius);
  struct points one;
  double unit[BOX];
  int n = 0;
  torus_units(c->grid.box, unit);
  memcpy(one.low, point, sizeof one.low);
  memcpy(one.high, point, sizeof one.high);
  const int runs = runs_near(c, &one, radius, (float)(radius * radius), &room);
  for (int r = 0; r < runs; r++)
    for (int k = room.run[r].begin; k < room.run[r].end; k++) {
      const int32_t x[3] = {c->x[k], c->y[k], c->z[k]};
      const double d2 = torus_distance2(x, point, unit);
      if (d2 >= e->least * e->least && d2 < e->radius * e->radius) bead[n++] = c->order[k];
    }
  reach_room_free(&room);
  return n;
}

static struct expected search_between(const struct scene *s, double least, double radius,
                                      const int *order)
{
  struct expected e = {.scene = s, .least = least, .radius = radius, .order = order};
  struct cells cells;
  struct grid g;
  static int32_t x[BEADS][3];
  static int64_t id[BEADS];
  memset(&cells, 0, sizeof cells);
  for (int k = 0; k < s->n; k++) {
    memcpy(x[k], s->x[order ? order[k] : k], sizeof x[k]);
    id[k] = s->id[order ? order[k] : k];
  }
  grid_set(&g, s->box, s->radius, COLUMNS_PER_RADIUS);
  cells_sort(&cells, &g, s->n, x[0], id, 1);
  for (int k = 0; k < POINTS; k++) {
    int bead[BEADS];
    check_point(&e, k, search_point(&cells, &e, s->point[k], bead), bead);
  }
  cells_free(&cells);
  return e;
}

static struct expected search(const struct scene *s, double radius, const int *order)
{
  return search_between(s, 0, radius, order);
}

static void all_distances(void **state)
{
  (void)state;
  static const double box[][4] = {{2, 2, 2, 1},       {2, 3, 5.1, 1},    {7, 2, 2.0001, 1},
                                  {9, 8, 2.8, 1.4},   {4, 4, 4, 0.35},   {2.6, 11, 2.2, 0.9},
                                  {640, 700, 650, 5}, {1e6, 2e5, 3, 1.4}};
  for (size_t k = 0; k < sizeof box / sizeof *box; k++) {
    const struct scene s = scene_make(box[k][0], box[k][1], box[k][2], box[k][3], BEADS);
    const double least = fmin(s.box[0], fmin(s.box[1], s.box[2]));
    assert_true(search(&s, s.radius, NULL).found > 0);
    const int64_t nearer = search(&s, 0.4 * s.radius, NULL).found;
    assert_int_equal(search_between(&s, 0.4 * s.radius, s.radius, NULL).found,
                     search(&s, s.radius, NULL).found - nearer);
    search(&s, 0.4999999 * least, NULL);
    search(&s, 0.5 * least, NULL);
    search(&s, 0.8 * least, NULL);
    if (least > 1e-4 * s.box[0]) /* else a search visits every one of 1e11 columns */
      assert_int_equal(search(&s, 4 * s.box[0] + 4 * s.box[1], NULL).found, BEADS * POINTS);
    assert_int_equal(search(&s, 0, NULL).found, 0);
  }
}

/* Prisms, dodecahedra, an octahedron, needles and slabs: xy, xz, yz in edges; |xy| and |xz| up to
   half of the first edge, |yz| of the second. */
static void oblique_boxes(void **state)
{
  (void)state;
  static const double box[][7] = {
      {6, 5.2, 4, 3, 0, 0, 1},        {6, 6, 4.24, 0, 3, 3, 1},
      {6, 5.2, 4.9, 3, 3, 1.73, 1.2}, {6, 5.66, 4.9, 2, -2, 2.83, 0.9},
      {9, 4, 5, -4.5, 4.5, -2, 0.8},  {20, 3, 3, 10, -10, 1.5, 0.7},
      {4, 4, 30, 2, 2, 2, 0.9},       {30, 25, 3, -14, 15, 12, 0.9},
      {5, 5, 5, 1e-3, 0, 0, 2},       {700, 650, 640, 300, 200, -90, 5}};
  for (size_t k = 0; k < sizeof box / sizeof *box; k++) {
    struct scene s = scene_make(box[k][0], box[k][1], box[k][2], box[k][6], BEADS);
    memcpy(s.box + 3, box[k] + 3, 3 * sizeof *s.box);
    const double half = 0.5 * box_least_height(s.box);
    for (double radius = 0.1 * half; radius <= half; radius *= 1.4)
      search(&s, radius, NULL);
    assert_true(search(&s, half, NULL).found > 0);
    assert_int_equal(search(&s, 4 * box_diagonal(s.box), NULL).found, BEADS * POINTS);
    int order[BEADS];
    for (int b = 0; b < BEADS; b++)
      order[b] = b * 7 % BEADS;
    assert_true(search(&s, s.radius, order).hash == search(&s, s.radius, NULL).hash);
  }
}

static void few_beads(void **state)
{
  (void)state;
  for (int n = 0; n <= 2; n++) {
    const struct scene s = scene_make(3, 4, 5, 1, n);
    assert_true((search(&s, 1, NULL).found > 0) == (n > 0));
    assert_int_equal(search(&s, 10, NULL).found, n * POINTS);
  }
}

static void order_is_canonical(void **state)
{
  (void)state;
  const struct scene s = scene_make(5, 3.3, 4.1, 1.05, BEADS);
  const struct expected first = search(&s, 1.05, NULL);
  for (int stride = 3; stride < 12; stride += 4) { /* no factors of BEADS */
    int order[BEADS];
    for (int k = 0; k < BEADS; k++)
      order[k] = k * stride % BEADS;
    assert_true(search(&s, 1.05, order).hash == first.hash);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_distances),
                                     cmocka_unit_test(oblique_boxes), cmocka_unit_test(few_beads),
                                     cmocka_unit_test(order_is_canonical)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
