/* Hills of metadynamics: sums on grids against sums of Gaussians in long double, at nodes and
   between them; forces against slopes of the energy; the energy of one hill is what adding it
   changes; tempered heights; periodic axes; ends of the grid; the same bits however the nodes are
   divided among threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "pair/bias_body.h"
#include "tests/support/unit.h"

enum { HILLS = 60, PLACES = 400 };

static double random_number(void)
{
  static uint64_t count;
  return ((double)rng_words(11, count++, 0, RNG_BUILD).word[0] + 0.5) / 4294967296.0;
}

/* Grids of the test: axes, and which are periodic, as bits. */
static const struct {
  int n, periodic;
} forms[] = {{1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}, {2, 3}};
enum { FORMS = sizeof forms / sizeof *forms };

static struct hill_grid grid_of(int form, double bins_of_width)
{
  struct hill_grid g;
  memset(&g, 0, sizeof g);
  g.n = forms[form].n;
  for (int k = 0; k < g.n; k++) {
    struct hill_axis *a = &g.axis[k];
    const int periodic = forms[form].periodic >> k & 1, bins = (int)(8 * bins_of_width) + k;
    a->width = 0.3 + 0.2 * k;
    a->low = -1 + 3 * k;
    a->spacing = 8 * a->width / bins;
    a->nodes = periodic ? bins : bins + 1;
    a->period = periodic ? 8 * a->width : 0;
  }
  return g;
}

/* Places in the grid, and as far beyond both ends as `beyond` lengths of it. */
static void random_place(const struct hill_grid *g, double beyond, double x[HILL_AXES_MOST])
{
  for (int k = 0; k < g->n; k++)
    x[k] = g->axis[k].low + 8 * g->axis[k].width * ((1 + 2 * beyond) * random_number() - beyond);
}

static struct hill random_hill(const struct hill_grid *g)
{
  struct hill h;
  memset(&h, 0, sizeof h);
  h.height = 0.5 + random_number();
  random_place(g, 0, h.place);
  for (int k = 0; k < g->n; k++)
    h.width[k] = g->axis[k].width * (0.7 + 0.4 * random_number());
  return h;
}

static double *nodes_of(const struct hill_grid *g, const struct hill *h, int n)
{
  double *node = alloc_array((long long)hill_nodes(g) * hill_node_values(g), sizeof *node);
  for (int k = 0; k < n; k++)
    hill_add(g, &h[k], node, 0, 1);
  return node;
}

/* The sum of the Gaussians, of all images that are near. */
static long double exact(const struct hill_grid *g, const struct hill *h, int n, const double *x)
{
  const long double end = expl(-6.25L);
  long double sum = 0;
  for (int m = 0; m < n; m++)
    for (int i = -2; i <= 2; i++)
      for (int j = -2; j <= 2; j++) {
        long double s = 0;
        const int image[] = {i, j};
        int counts = 1;
        for (int k = 0; k < 2; k++) {
          const long double period = k < g->n ? g->axis[k].period : 0;
          counts &= image[k] == 0 || period > 0;
          if (k >= g->n) continue;
          const long double z =
              ((long double)x[k] - h[m].place[k] + image[k] * period) / h[m].width[k];
          s += z * z / 2;
        }
        if (counts && s < 6.25L) sum += h[m].height * (expl(-s) - end) / (1 - end);
      }
  return sum;
}

static void sums(void **state)
{
  (void)state;
  for (int form = 0; form < FORMS; form++) {
    const struct hill_grid g = grid_of(form, 20);
    struct hill h[HILLS];
    for (int k = 0; k < HILLS; k++)
      h[k] = random_hill(&g);
    double *node = nodes_of(&g, h, HILLS), largest = 0;
    for (int k = 0; k < PLACES; k++) {
      double x[HILL_AXES_MOST], u, f[HILL_AXES_MOST];
      const int at_node = k % 2;
      random_place(&g, 0, x);
      for (int a = 0; at_node && a < g.n; a++)
        x[a] =
            g.axis[a].low + (int)((x[a] - g.axis[a].low) / g.axis[a].spacing) * g.axis[a].spacing;
      assert_int_equal(hill_energy(&g, node, NULL, x, &u, f), 0);
      const long double want = exact(&g, h, HILLS, x);
      largest = fmax(largest, u);
      /* Gaussians end with a kink. */
      assert_true(fabsl(u - want) < (at_node ? 1e-13L : 3e-4L) * (1 + want));
    }
    assert_true(largest > 2);
    free(node);
  }
}

/* Away from its end, a Gaussian is met to the fourth power of the spacing. */
static void accuracy(void **state)
{
  (void)state;
  for (int form = 0; form < FORMS; form++) {
    const struct hill_grid g = grid_of(form, 10);
    const struct hill h = random_hill(&g);
    double *node = nodes_of(&g, &h, 1);
    int inside = 0;
    for (int k = 0; k < 20 * PLACES; k++) {
      double x[HILL_AXES_MOST], u, f[HILL_AXES_MOST];
      random_place(&g, 0, x);
      const long double want = exact(&g, &h, 1, x);
      if (want < 0.02 || hill_energy(&g, node, NULL, x, &u, f)) continue;
      inside++;
      assert_true(fabsl(u - want) < 1e-5L);
    }
    assert_true(inside > PLACES);
    free(node);
  }
}

/* A hill that is wider than its period counts once at each node. */
static void wide(void **state)
{
  const struct hill_grid g = grid_of(1, 5);
  struct hill h = random_hill(&g);
  (void)state;
  h.width[0] *= 20;
  double *node = nodes_of(&g, &h, 1);
  for (int i = 0; i < hill_nodes(&g); i++)
    assert_true(node[2 * i] > 0.9 * h.height && node[2 * i] <= h.height);
  free(node);
}

/* Forces are the slopes of the energy that is interpolated, also on coarse grids, and both are
   continuous. */
static void slopes(void **state)
{
  const double step = 1e-6;
  (void)state;
  for (int form = 0; form < FORMS; form++) {
    const struct hill_grid g = grid_of(form, 2.5);
    struct hill h[HILLS];
    for (int k = 0; k < HILLS; k++)
      h[k] = random_hill(&g);
    double *node = nodes_of(&g, h, HILLS);
    for (int k = 0; k < PLACES; k++) {
      double x[HILL_AXES_MOST] = {0, 0}, u[3], f[3][HILL_AXES_MOST];
      random_place(&g, 0, x);
      const int a = k % g.n;
      if (k % 5 == 0) /* across a node */
        x[a] =
            g.axis[a].low + (int)((x[a] - g.axis[a].low) / g.axis[a].spacing) * g.axis[a].spacing;
      for (int side = 0; side < 3; side++) {
        double at[HILL_AXES_MOST];
        memcpy(at, x, sizeof at);
        at[a] += (side - 1) * step;
        if (hill_energy(&g, node, NULL, at, &u[side], f[side])) at[a] = (double)NAN;
        if (isnan(at[a])) f[side][a] = (double)NAN;
      }
      if (isnan(f[0][a]) || isnan(f[2][a])) continue; /* at an end */
      assert_true(fabs((u[2] - u[0]) / (2 * step) + f[1][a]) < 1e-6 * (10 + fabs(f[1][a])));
      assert_true(fabs(f[2][a] - f[0][a]) < 1e-3);
    }
    free(node);
  }
}

/* The energy of a hill alone is what it adds, everywhere. */
static void one_hill(void **state)
{
  (void)state;
  for (int form = 0; form < FORMS; form++) {
    const struct hill_grid g = grid_of(form, 4);
    struct hill h[2] = {random_hill(&g), random_hill(&g)};
    double *node = nodes_of(&g, h, 1), *both = nodes_of(&g, h, 2);
    for (int k = 0; k < PLACES; k++) {
      double x[HILL_AXES_MOST], before, after, own, f[3][HILL_AXES_MOST];
      random_place(&g, 0, x);
      hill_energy(&g, node, NULL, x, &before, f[0]);
      hill_energy(&g, both, NULL, x, &after, f[1]);
      hill_energy(&g, NULL, &h[1], x, &own, f[2]);
      assert_true(fabs(after - before - own) < 1e-14);
      for (int a = 0; a < g.n; a++)
        assert_true(fabs(f[1][a] - f[0][a] - f[2][a]) < 1e-12);
    }
    free(node);
    free(both);
  }
}

static void threads(void **state)
{
  (void)state;
  for (int form = 0; form < FORMS; form++) {
    const struct hill_grid g = grid_of(form, 6);
    const size_t bytes = (size_t)hill_nodes(&g) * (size_t)hill_node_values(&g) * sizeof(double);
    struct hill h[HILLS];
    for (int k = 0; k < HILLS; k++)
      h[k] = random_hill(&g);
    double *one = nodes_of(&g, h, HILLS), *many = nodes_of(&g, h, 0);
    for (int k = 0; k < HILLS; k++)
      for (int t = 127; t >= 0; t--)
        hill_add(&g, &h[k], many, t, 128);
    assert_memory_equal(one, many, bytes);
    free(one);
    free(many);
  }
}

/* Outside, energies are those of the end, without a force; periodic axes have no outside. */
static void ends(void **state)
{
  (void)state;
  for (int form = 0; form < FORMS; form++) {
    const struct hill_grid g = grid_of(form, 5);
    const struct hill h = random_hill(&g);
    double *node = nodes_of(&g, &h, 1);
    int left = 0;
    for (int k = 0; k < PLACES; k++) {
      double x[HILL_AXES_MOST], in[HILL_AXES_MOST], u[2], f[2][HILL_AXES_MOST];
      int outside = 0;
      random_place(&g, 0.4, x);
      for (int a = g.n - 1; a >= 0; a--) {
        const struct hill_axis *axis = &g.axis[a];
        const double high = axis->low + (axis->nodes - 1) * axis->spacing;
        if (axis->period > 0) {
          in[a] = x[a] + axis->period * (x[a] < axis->low ? 1 : -1);
          continue;
        }
        in[a] = fmax(axis->low, fmin(x[a], high));
        if (in[a] != x[a]) outside = 1 + a;
      }
      left += outside > 0;
      assert_int_equal(hill_energy(&g, node, NULL, x, &u[0], f[0]), outside);
      hill_energy(&g, node, NULL, in, &u[1], f[1]);
      assert_true(fabs(u[0] - u[1]) < 1e-13);
      if (outside) assert_true(f[0][outside - 1] == 0);
    }
    assert_true(left > 0 || forms[form].periodic == (1 << g.n) - 1);
    free(node);
  }
  const struct hill_grid g = grid_of(2, 5);
  const double never[] = {(double)NAN, -1e300};
  double u, f[HILL_AXES_MOST];
  struct hill h = random_hill(&g);
  double *node = nodes_of(&g, &h, 1);
  assert_int_equal(hill_energy(&g, node, NULL, never, &u, f), 1);
  h.place[0] = 1e300;
  hill_add(&g, &h, node, 0, 1);
  free(node);
}

/* Heights at one place: those of the recursion V' = V + h exp(-V / ((factor - 1) kT)). */
static void tempered(void **state)
{
  const double kT = 2.5, factor = 8;
  long double sum = 0;
  double energy = 0;
  (void)state;
  for (int k = 0; k < 1000; k++) {
    energy += hill_height(1.2, factor, kT, energy);
    sum += 1.2L * expl(-sum / ((factor - 1) * kT));
  }
  assert_true(fabsl(energy - sum) < 1e-11L * sum);
  assert_true(hill_height(1.2, INFINITY, kT, energy) == 1.2);
}

/* Of bias_body.h: which steps deposit, with their work. */
static void deposits(void **state)
{
  static struct bias_set set;
  static struct bias_state now[2];
  static struct coordinate_work work[COORDINATES_MOST];
  struct hill recent[HILLS_RECENT];
  int64_t due = 0;
  double way = 0;
  (void)state;
  set.hills = grid_of(0, 8);
  set.hills.every = 3;
  set.n_biases = set.n_coordinates = 1;
  set.dt = 0.01;
  set.bias[0].kind = BIAS_metadynamics;
  for (int k = 0; k < 4; k++)
    set.bias[0].parameter[k] = ramp_constant((double[]){1.5, 6, 300, 0}[k]);
  const struct hill_store store = {nodes_of(&set.hills, NULL, 0), recent};
  for (int64_t step = 1; step <= 400; step++) {
    struct bias_state *before = &now[(step - 1) & 1], *next = &now[step & 1];
    next->value[0] = 0.2 + 0.6 * sin(0.004 * (double)step);
    if (hill_deposit(&set, &store, before, step, 0, 1)) hill_keep(&set, &store, before);
    for (int again = 0; again < 2; again++) {
      biases_evaluate(&set, step, before, next, 0, 1);
      bias_solve(&set, NULL, step, &store, work, before, next);
    }
    due += step > 1 && (step - 1) % 3 == 0;
    assert_int_equal(next->hills, due);
    assert_true(next->pull[0] == next->force[0]);
    way -= 0.5 * (next->force[0] + before->force[0]) * (next->value[0] - before->value[0]);
    if (next->hills == before->hills) continue;
    const struct hill *h = &recent[before->hills % HILLS_RECENT];
    const double height = 1.5 * exp(-before->energy[0] / (5 * UNITS_BOLTZMANN * 300));
    assert_true(fabs(h->height - height) < 1e-13 * height && h->place[0] == before->value[0]);
    assert_true(fabs(h->time - 0.01 * (double)before->step) < 1e-12);
  }
  assert_true(now[0].energy[0] > 5);
  assert_true(fabs(now[0].energy[0] - now[0].work[0] - way) < 1e-3 * now[0].work[0]);
  assert_int_equal(now[0].outside, 0);
  now[1].value[0] = 100;
  biases_evaluate(&set, 401, &now[0], &now[1], 0, 1);
  bias_solve(&set, NULL, 401, &store, work, &now[0], &now[1]);
  assert_int_equal(now[1].outside, 1);
  assert_int_equal(now[1].outside_step, 401);
  free(store.node);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums),   cmocka_unit_test(accuracy), cmocka_unit_test(wide),
      cmocka_unit_test(slopes), cmocka_unit_test(one_hill), cmocka_unit_test(threads),
      cmocka_unit_test(ends),   cmocka_unit_test(tempered), cmocka_unit_test(deposits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
