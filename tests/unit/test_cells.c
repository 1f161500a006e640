/* Neighbour lists against all pairs: random beads, beads on cell faces, empty cells, boxes down to
   twice the radius, and one order whatever is owned and whatever is a copy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/list_test.h"
#include "base/rng.h"
#include "cpu/cells.h"
#include "cpu/force_cpu.h"
#include "input/param.h"
#include "tests/support/death.h"
#include "tests/support/unit.h"

enum { MOST = 900, THREADS = 3 };

struct scene {
  double box[BOX], radius;
  int n;
  int32_t x[MOST][3];
  int64_t id[MOST];
};

/* Local arrays of a rank and what it makes of them. */
struct view {
  int n, owned, lanes; /* lanes: FORCE_LANES of its precision */
  int32_t x[MOST][3];
  int64_t id[MOST];
  int row[MOST + 1], partner[MOST]; /* exclusions */
  struct cells cells;
  struct neighbor_list list;
};

static uint32_t word(int k, int axis)
{
  return rng_words(17, (uint64_t)axis, (uint64_t)k, RNG_BUILD).word[0];
}

static struct scene scene_random(double lx, double ly, double lz, double radius, int n)
{
  struct scene s = {.box = {lx, ly, lz}, .radius = radius, .n = n};
  for (int k = 0; k < n; k++) {
    s.id[k] = 1 + (int64_t)k * 3;
    for (int a = 0; a < 3; a++) {
      uint32_t v = word(k, a);
      memcpy(&s.x[k][a], &v, sizeof v);
    }
  }
  return s;
}

/* Every bead on a corner of a cell, or one unit before it. */
static struct scene scene_faces(void)
{
  struct scene s = scene_random(3.1, 4.3, 3.7, 1.05, 700);
  struct grid g;
  grid_set(&g, s.box, s.radius, COLUMNS_PER_RADIUS);
  for (int k = 0; k < s.n; k++)
    for (int a = 0; a < 3; a++) {
      uint64_t cell = word(k, a + 3) % (uint32_t)g.n[a];
      uint32_t v = (uint32_t)(((cell << 32) + (uint64_t)g.n[a] - 1) / (uint64_t)g.n[a]);
      v -= word(k, a + 6) & 1;
      memcpy(&s.x[k][a], &v, sizeof v);
    }
  for (int k = 0; k < s.n; k++) /* no two on one point */
    for (int m = 0; m < k; m++)
      if (!memcmp(s.x[k], s.x[m], sizeof s.x[k])) {
        memcpy(s.x[k], s.x[--s.n], sizeof s.x[k]);
        m = -1;
      }
  return s;
}

/* All beads near one corner of a large box, around the faces. */
static struct scene scene_cluster(void)
{
  struct scene s = scene_random(30, 20, 40, 1, 500);
  for (int k = 0; k < s.n; k++)
    for (int a = 0; a < 3; a++)
      s.x[k][a] = s.x[k][a] / 16;
  return s;
}

/* Small clusters far apart, some around the faces, in a large cube: no table of cells. */
static struct scene scene_dilute(double edge, double size)
{
  struct scene s = scene_random(edge, edge, edge, 1.4, MOST);
  for (int k = 0; k < s.n; k++)
    for (int a = 0; a < 3; a++) {
      uint32_t centre = k / 9 % 3 == a ? 0 : word(k / 9, a + 9);
      double shift = size * (double)(int32_t)word(k, a) / edge;
      uint32_t v = centre + (uint32_t)(int32_t)shift;
      memcpy(&s.x[k][a], &v, sizeof v);
    }
  return s;
}

static double distance2(const struct scene *s, const int32_t *a, const int32_t *b)
{
  double f[3], d[3];
  for (int k = 0; k < 3; k++)
    f[k] = (double)(int32_t)((uint32_t)a[k] - (uint32_t)b[k]) / 4294967296.0;
  d[0] = f[0] * s->box[0] + f[1] * s->box[3] + f[2] * s->box[4];
  d[1] = f[1] * s->box[1] + f[2] * s->box[5];
  d[2] = f[2] * s->box[2];
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

static struct view *view_new(void)
{
  struct view *v = calloc(1, sizeof *v);
  assert_non_null(v);
  return v;
}

static void view_free(struct view *v)
{
  cells_free(&v->cells);
  neighbor_list_free(&v->list);
  free(v);
}

/* Puts bead k of the scene at place order[k]; the first owned ones are owned. */
static void view_fill(struct view *v, const struct scene *s, const int *order, int n, int owned)
{
  v->n = n;
  v->owned = owned;
  for (int k = 0; k < n; k++) {
    memcpy(v->x[k], s->x[order[k]], sizeof v->x[k]);
    v->id[k] = s->id[order[k]];
  }
}

static void view_build(struct view *v, const struct scene *s, int precision, int level)
{
  struct grid g;
  v->lanes = precision == PRECISION_DOUBLE ? PAIR_PARTIAL_SUMS : FORCE_LANES;
  grid_set(&g, s->box, s->radius, COLUMNS_PER_RADIUS);
  cells_sort(&v->cells, &g, v->n, v->x[0], v->id, 1);
  const struct force_kernel *kernel = force_kernel_get(precision, level);
  if (!kernel) kernel = force_kernel_get(precision, force_kernel_level()); /* not built */
  const struct cells_job job = {.cells = &v->cells,
                                .position = v->x[0],
                                .skip = {v->row, v->partner},
                                .pairs = {.radius = s->radius},
                                .list = &v->list};
  neighbor_list_begin(&v->list, v->owned, THREADS);
  for (int k = 0; k < THREADS; k++) {
    const int begin = k * v->owned / THREADS, end = (k + 1) * v->owned / THREADS;
    const int failed = kernel->list(&job, begin, end, k);
    if (failed < end) cells_refuse_point(&job, failed, v->id);
  }
}

static void identity(int *order, int n)
{
  for (int k = 0; k < n; k++)
    order[k] = k;
}

/* The padding is the bead itself, which in double precision is an entry too; the length of the row
   before it. */
static int row_length(const struct view *v, int i)
{
  const int *row = v->list.row[i], room = v->list.n[i];
  int n = room;
  assert_int_equal(n % v->lanes, 0);
  while (n > 0 && row[n - 1] == i)
    n--;
  assert_true(room - n < v->lanes + (v->lanes == PAIR_PARTIAL_SUMS));
  return n;
}

/* The entries of a row but for the bead itself. */
static int row_others(const struct view *v, int i)
{
  int others = 0;
  for (int k = 0; k < v->list.n[i]; k++)
    others += v->list.row[i][k] != i;
  return others;
}

/* Exactly the pairs within the radius, but for those within rounding of it. In double precision
   coordinates lose bits before. */
static void compare_with_all_pairs(const struct view *v, const struct scene *s)
{
  const int wide = v->lanes == PAIR_PARTIAL_SUMS;
  const double most = 1 + 3e-6 + (wide ? 3 * list_coarse(s->box) / s->radius : 0);
  for (int i = 0; i < v->owned; i++) {
    int n = row_length(v, i), times[MOST] = {0};
    for (int k = 0; k < n; k++)
      times[v->list.row[i][k]]++;
    for (int j = 0; j < v->n; j++) {
      double r = sqrt(distance2(s, v->x[i], v->x[j])) / s->radius;
      if (j == i && wide) continue;
      if (j == i || r > most)
        assert_int_equal(times[j], 0);
      else if (r < 1)
        assert_int_equal(times[j], 1);
      else
        assert_true(times[j] <= 1);
    }
  }
}

static void check_scene(const struct scene *s)
{
  int order[MOST];
  identity(order, s->n);
  for (int level = 0; level <= force_kernel_level(); level++)
    for (int precision = PRECISION_MIXED; precision <= PRECISION_DOUBLE; precision++) {
      if (!force_kernel_get(precision, level)) continue;
      struct view *v = view_new();
      view_fill(v, s, order, s->n, s->n);
      view_build(v, s, precision, level);
      compare_with_all_pairs(v, s);
      view_free(v);
    }
}

static void random_beads(void **state)
{
  (void)state;
  static const double box[][4] = {{2, 2, 2, 1},       {2, 3, 5.1, 1},   {7, 2, 2.0001, 1},
                                  {2.999, 2.5, 9, 1}, {9, 8, 2.8, 1.4}, {4, 4, 4, 0.35},
                                  {2.6, 11, 2.2, 0.9}};
  for (size_t k = 0; k < sizeof box / sizeof *box; k++) {
    struct scene s = scene_random(box[k][0], box[k][1], box[k][2], box[k][3], 400);
    check_scene(&s);
  }
}

/* A prism, a dodecahedron, an octahedron, and boxes in which columns go around the box or windows
   around a face: xy, xz, yz in nm, then the radius. */
static const double oblique[][7] = {
    {6, 5.2, 4, 3, 0, 0, 1},         {6, 6, 4.24, 0, 3, 3, 1},     {6, 5.66, 4.9, 2, -2, 2.83, 0.9},
    {4.8, 4, 4, 2.4, -2.4, 2, 0.95}, {9, 4, 5, 4, 4.5, -2, 0.8},   {12, 3, 3, 6, -6, 1.5, 0.6},
    {4, 4, 30, 2, 2, 2, 0.9},        {30, 25, 3, -14, 15, 12, 0.9}};
enum { OBLIQUE = sizeof oblique / sizeof *oblique };

static struct scene scene_oblique(int k, int n)
{
  const double *b = oblique[k];
  struct scene s = scene_random(b[0], b[1], b[2], b[6], n);
  memcpy(s.box + 3, b + 3, 3 * sizeof *b);
  return s;
}

static void oblique_boxes(void **state)
{
  (void)state;
  for (int k = 0; k < OBLIQUE; k++) {
    struct scene s = scene_oblique(k, 400);
    assert_true(s.radius <= 0.5 * box_least_height(s.box));
    check_scene(&s);
  }
}

static void special_places(void **state)
{
  (void)state;
  struct scene faces = scene_faces(), cluster = scene_cluster(), few;
  assert_true(faces.n > 600);
  check_scene(&faces);
  check_scene(&cluster);
  for (int n = 0; n <= 2; n++) {
    few = scene_random(2, 2, 2, 1, n);
    check_scene(&few);
  }
}

/* A shuffle of 0 .. n-1. */
static void shuffle(int *order, int n, int seed)
{
  identity(order, n);
  for (int k = n - 1; k > 0; k--) {
    int m = (int)(word(k, 100 + seed) % (uint32_t)(k + 1)), swap = order[k];
    order[k] = order[m];
    order[m] = swap;
  }
}

/* Drops the copies that no owned bead can reach; how many places are left. */
static int drop_unreachable(const struct scene *s, int *order, int owned)
{
  int n = owned;
  for (int k = owned; k < s->n; k++) {
    double least = INFINITY;
    for (int i = 0; i < owned; i++)
      least = fmin(least, distance2(s, s->x[order[i]], s->x[order[k]]));
    if (least < s->radius * s->radius * 1.0001) order[n++] = order[k];
  }
  return n;
}

/* Memory goes by beads, also where the box has more cells than an int can count. */
static void large_boxes(void **state)
{
  (void)state;
  static const double edge[] = {64, 640, 5e4, 1e6};
  for (size_t k = 0; k < sizeof edge / sizeof *edge; k++) {
    struct scene clusters = scene_dilute(edge[k], 3), one = scene_random(edge[k], 20, 3, 1.4, 1),
                 droplet = scene_dilute(edge[k], 3);
    for (int i = 0; i < droplet.n; i++)
      for (int a = 0; a < 3; a++)
        droplet.x[i][a] = (int32_t)(12 / edge[k] * (double)(int32_t)word(i, a));
    check_scene(&clusters);
    check_scene(&droplet);
    check_scene(&one);
    struct view *v = view_new();
    int order[MOST];
    identity(order, droplet.n);
    view_fill(v, &droplet, order, droplet.n, droplet.n);
    view_build(v, &droplet, PRECISION_DOUBLE, 0);
    assert_true(cells_bytes(&v->cells) < 32 << 20);
    view_free(v);
  }
}

static void check_order(const struct scene *scene, int precision)
{
  struct scene s = *scene;
  struct view *all = view_new();
  int order[MOST], level = force_kernel_level();
  identity(order, s.n);
  view_fill(all, &s, order, s.n, s.n);
  view_build(all, &s, precision, level);
  for (int seed = 0; seed < 4; seed++) {
    struct view *v = view_new();
    int owned = (seed + 1) * s.n / 9;
    shuffle(order, s.n, seed);
    view_fill(v, &s, order, drop_unreachable(&s, order, owned), owned);
    view_build(v, &s, precision, seed % 2 ? level : 0);
    for (int i = 0; i < owned; i++) {
      int n = row_length(v, i), k = order[i];
      assert_int_equal(n, row_length(all, k));
      for (int m = 0; m < n; m++)
        assert_int_equal(v->id[v->list.row[i][m]], all->id[all->list.row[k][m]]);
    }
    view_free(v);
  }
  view_free(all);
}

static void order_is_canonical(void **state)
{
  (void)state;
  struct scene dense = scene_random(5, 3.3, 4.1, 1.05, MOST), dilute = scene_dilute(640, 3);
  for (int precision = PRECISION_MIXED; precision <= PRECISION_DOUBLE; precision++) {
    check_order(&dense, precision);
    check_order(&dilute, precision);
    for (int k = 0; k < OBLIQUE; k++) {
      struct scene s = scene_oblique(k, MOST);
      check_order(&s, precision);
    }
  }
}

/* The same lists, whether cells have a table or not: a few beads far away make the difference. */
static void tables_do_not_matter(void **state)
{
  (void)state;
  struct scene s = scene_dilute(640, 3);
  int order[MOST], near = 90, level = force_kernel_level(), listed = 0;
  struct view *some = view_new(), *all = view_new();
  for (int k = 0; k < near; k++)
    for (int a = 0; a < 3; a++)
      s.x[k][a] = (int32_t)(4.0 / 640 * (double)(int32_t)word(k, a));
  identity(order, s.n);
  view_fill(some, &s, order, near, near);
  view_fill(all, &s, order, s.n, s.n);
  view_build(some, &s, PRECISION_MIXED, level);
  view_build(all, &s, PRECISION_MIXED, level);
  assert_true(some->cells.has_table && !all->cells.has_table);
  for (int i = 0; i < near; i++) {
    const int *a = some->list.row[i], *b = all->list.row[i];
    int before = -1, n = row_length(some, i);
    for (int k = 0; k < row_length(all, i); k++)
      if (b[k] < near) assert_int_equal(b[k], a[++before]);
    assert_int_equal(before + 1, n);
    listed += n;
  }
  assert_true(listed > near);
  view_free(some);
  view_free(all);
}

static void exclusions_are_left_out(void **state)
{
  (void)state;
  struct scene s = scene_random(2.2, 2.2, 2.2, 1.1, 300);
  struct view *v = view_new();
  int order[MOST], n = 0;
  identity(order, s.n);
  view_fill(v, &s, order, s.n, s.n);
  for (int i = 0; i < s.n; i++) { /* each bead and its neighbour in pairs */
    v->row[i] = n;
    v->partner[n++] = i ^ 1;
  }
  v->row[s.n] = n;
  view_build(v, &s, PRECISION_DOUBLE, 0);
  for (int i = 0; i < s.n; i++) {
    int expected = 0;
    for (int j = 0; j < s.n; j++)
      expected += j != i && j != (i ^ 1) && distance2(&s, v->x[i], v->x[j]) < s.radius * s.radius;
    assert_int_equal(row_others(v, i), expected);
  }
  view_free(v);
}

static void two_on_a_point(void *argument)
{
  struct scene s = scene_random(4, 4, 4, 1, 50);
  struct view *v = view_new();
  int order[MOST];
  memcpy(s.x[31], s.x[7], sizeof s.x[7]);
  identity(order, s.n);
  view_fill(v, &s, order, s.n, s.n);
  view_build(v, &s, PRECISION_DOUBLE, *(int *)argument);
  view_free(v);
}

static void one_point_is_refused(void **state)
{
  (void)state;
  for (int level = 0; level <= force_kernel_level(); level++)
    if (force_kernel_get(PRECISION_DOUBLE, level))
      assert_true(dies_saying(two_on_a_point, &level, 3, "beads 22 and 94 lie on one point"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_beads),
                                     cmocka_unit_test(oblique_boxes),
                                     cmocka_unit_test(special_places),
                                     cmocka_unit_test(large_boxes),
                                     cmocka_unit_test(order_is_canonical),
                                     cmocka_unit_test(tables_do_not_matter),
                                     cmocka_unit_test(exclusions_are_left_out),
                                     cmocka_unit_test(one_point_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
