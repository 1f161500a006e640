/* Observables of bilayers on frames made by hand: straight lipids of known tilt, waves of known
   amplitude, a lipid that flips, two species side by side. tests/mpi/test_mpi_observe.c does it on
   several ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/units.h"
#include "input/forcefield_file.h"
#include "observe/neighbours.h"
#include "observe/observable.h"
#include "observe/results.h"
#include "observe/spectrum.h"
#include "tests/support/unit.h"

/* DOPC and DOPE have equal bonds, and 15 beads. */
enum { BEADS = 15, SIDE = 16, CELLS = SIDE * SIDE };
static const int depth[BEADS] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7};

static struct ranks ranks;

struct scene {
  struct observe_system about;
  struct topology topology;
  struct forcefield *ff;
  struct lipids *lipids;
  struct observe_frame frame;
  int32_t *position;
  double *orientation;
};

static int kind_of(const struct scene *s, const char *name)
{
  return forcefield_molecule(s->ff, name);
}

static void scene_make(struct scene *s, int lipids, double edge)
{
  memset(s, 0, sizeof *s);
  struct observe_system *a = &s->about;
  s->ff = forcefield_load("elba");
  a->ff = s->ff;
  a->lipids = s->lipids = lipids_create(s->ff);
  s->lipids->is_flat = 1;
  a->topology = &s->topology;
  a->n_total = (int64_t)lipids * BEADS;
  a->ranks = &ranks;
  a->bilayers = 1;
  a->temperature = 303;
  a->dt = 0.01;
  struct share *share = &a->share;
  share->first = 1;
  share->n = a->n_total;
  share->molecules = lipids;
  share->type = alloc_array(share->n, sizeof *share->type);
  share->env = alloc_array(share->n, sizeof *share->env);
  share->molecule = alloc_array(lipids, sizeof *share->molecule);
  s->position = alloc_array(3 * a->n_total, sizeof *s->position);
  s->orientation = alloc_array(4 * a->n_total, sizeof *s->orientation);
  s->frame = (struct observe_frame){.box = {edge, edge, 10},
                                    .centre = UINT32_C(1) << 31,
                                    .position = s->position,
                                    .orientation = s->orientation};
  topology_add_molecule(&s->topology, s->ff, kind_of(s, "DOPC"));
}

static void scene_free(struct scene *s)
{
  share_free(&s->about.share);
  free(s->position);
  free(s->orientation);
  topology_free(&s->topology);
  lipids_destroy(s->lipids);
  forcefield_destroy(s->ff);
}

/* Lipid k with its P at x, y and z above the centre, and its straight tails in direction u. */
static void put_lipid(struct scene *s, int k, const char *kind, const double *x, const double *u)
{
  const int type = kind_of(s, kind);
  s->about.share.molecule[k] = (struct observe_molecule){(int64_t)k * BEADS, BEADS, type};
  for (int j = 0; j < BEADS; j++) {
    const int bead = k * BEADS + j;
    const double c = sqrt((1 + u[2]) / 2), norm = hypot(u[0], u[1]);
    const double along = norm > 0 ? sqrt((1 - u[2]) / 2) / norm : 0;
    const double q[4] = {c, -u[1] * along, u[0] * along, 0};
    s->about.share.type[bead] = s->ff->molecule[type].bead[j];
    s->about.share.env[bead] = j;
    memcpy(s->orientation + 4 * bead, q, sizeof q);
    for (int d = 0; d < 3; d++) {
      const double at = x[d] + 0.3 * depth[j] * u[d] + (d == 2 ? s->frame.box[2] / 2 : 0);
      const uint32_t word = (uint32_t)(int64_t)llrint(at / s->frame.box[d] * 4294967296.0);
      memcpy(&s->position[3 * bead + d], &word, sizeof word);
    }
  }
}

static struct observable *observe(struct scene *s, const char *text, int errors)
{
  struct error_list list = {0};
  int n;
  struct yaml_tree *t = yaml_parse(text, "test", &list);
  struct observable *o = observables_create(t, yaml_root(t), &s->about, &n);
  char *said = error_list_text(&list);
  if (list.count != errors) print_message("%s\n", said);
  assert_int_equal(list.count, errors);
  assert_int_equal(n, 1);
  yaml_destroy(t);
  free(said);
  error_list_free(&list);
  return o;
}

static void take(const struct scene *s, struct observable *o)
{
  int64_t *word = alloc_array(o->words, sizeof *word);
  o->kind->collect(o, &s->frame, word);
  observable_take(o, &s->frame, word);
  free(word);
}

static struct observe_results results_of(const struct observable *o)
{
  struct observe_results r;
  int64_t n;
  double *saved = observable_save(o, &n);
  observe_results_of(o, saved, n, &r);
  free(saved);
  return r;
}

static void near(double a, double b, double most)
{
  if (!(fabs(a - b) <= most)) fail_msg("%.12g is not %.12g within %g", a, b, most);
}

/* Order */

/* Two leaflets of lipids with tails at an angle to z, in all directions around it. */
static void order_at(double degrees)
{
  struct scene s;
  const double t = degrees * UNITS_PI / 180, expected = (3 * cos(t) * cos(t) - 1) / 2;
  scene_make(&s, 20, 8);
  for (int k = 0; k < 20; k++) {
    const double sign = k % 2 ? 1 : -1, x[3] = {0.4 * k, 7.9, sign * 1.7};
    const double u[3] = {sin(t) * cos(k), sin(t) * sin(k), -sign * cos(t)};
    put_lipid(&s, k, k < 8 ? "DOPC" : "DOPE", x, u);
  }
  struct observable *o = observe(&s, "[order]", 0);
  take(&s, o);
  struct observe_results r = results_of(o);
  assert_int_equal(o->tables, 3);
  assert_int_equal(o->table[0].rows, 28);
  assert_string_equal(o->table[0].label[3], "DOPC:3-10");
  assert_string_equal(o->table[1].label[4], "DOPE:4");
  assert_int_equal(o->table[2].rows, 2);
  for (int k = 0; k < o->table[0].rows + o->table[1].rows; k++)
    near(r.value[k], expected, 1e-7);
  for (int k = 0; k < 2; k++) {
    near(observe_column_of(o, r.value, 2, 0)[k], expected, 1e-7);
    near(observe_column_of(o, r.value, 2, 1)[k], degrees, 1e-5);
    near(observe_column_of(o, r.value, 2, 2)[k], expected, 1e-7);
  }
  observe_results_free(&r);
  observables_destroy(o, 1);
  scene_free(&s);
}

static void test_order(void **state)
{
  (void)state;
  order_at(0);
  order_at(30);
  order_at(54.7356103172);
  order_at(75);
}

/* Undulation */

/* A lipid of each leaflet at the middle of each cell. height and thickness: amplitudes of waves
   along x with two periods and along the diagonal with one; bump: of one cell. */
static void waves(struct scene *s, double height, double thickness, double bump)
{
  const double down[3] = {0, 0, -1}, up[3] = {0, 0, 1}, edge = s->frame.box[0];
  for (int k = 0; k < CELLS; k++) {
    const double x = (k / SIDE + 0.5) / SIDE, y = (k % SIDE + 0.5) / SIDE;
    const double h = height * cos(4 * UNITS_PI * x) + (k == 37 ? bump : 0);
    const double d = thickness * sin(2 * UNITS_PI * (x + y));
    const double upper[3] = {x * edge, y * edge, h + 1.8 + d};
    const double lower[3] = {x * edge, y * edge, h - 1.8 - d};
    put_lipid(s, 2 * k, "DOPC", upper, down);
    put_lipid(s, 2 * k + 1, "DOPC", lower, up);
  }
}

static void test_undulation_waves(void **state)
{
  (void)state;
  struct scene s;
  const double height = 0.21, thickness = 0.13, edge = 13;
  scene_make(&s, 2 * CELLS, edge);
  waves(&s, height, thickness, 0);
  struct observable *o = observe(&s, "[undulation: {grid: 16}]", 0);
  take(&s, o);
  struct observe_results r = results_of(o);
  const double *q = observe_axis_of(o, r.value, 0), *h = observe_column_of(o, r.value, 0, 0);
  const double *d = observe_column_of(o, r.value, 0, 1);
  for (int k = 0; k < o->table[0].rows; k++) {
    const double n2 = pow(q[k] * edge / (2 * UNITS_PI), 2);
    /* Half the amplitude in two of the four modes of the row. */
    near(h[k], fabs(n2 - 4) < 1e-9 ? pow(edge * height / 2, 2) / 2 : 0, 1e-8);
    near(d[k], fabs(n2 - 2) < 1e-9 ? pow(edge * thickness / 2, 2) / 2 : 0, 1e-8);
  }
  near(q[0], 2 * UNITS_PI / edge, 1e-12);
  near(q[o->table[0].rows - 1], UNITS_PI * SIDE / edge, 1e-12);
  observe_results_free(&r);
  observables_destroy(o, 1);
  scene_free(&s);
}

/* One raised cell has equal power in all modes. */
static void test_undulation_rigidity(void **state)
{
  (void)state;
  struct scene s;
  const double bump = 0.5, edge = 13, power = pow(bump * edge / CELLS, 2), q = 2 * UNITS_PI / edge;
  /* Rows |n|^2 = 1, 2 and 4 of four modes each. */
  const double product = cbrt(1.0 * 4 * 16) * power * pow(q, 4);
  scene_make(&s, 2 * CELLS, edge);
  waves(&s, 0, 0, bump);
  struct observable *o = observe(&s, "[undulation: {grid: 16, fit_to: 1.0}]", 0);
  take(&s, o);
  struct observe_results r = results_of(o);
  for (int k = 0; k < o->table[0].rows; k++)
    near(observe_column_of(o, r.value, 0, 0)[k], power, 1e-6 * power);
  near(*observe_column_of(o, r.value, 1, 1), 1 / product, 1e-5 / product);
  near(*observe_column_of(o, r.value, 1, 0), UNITS_BOLTZMANN * 303 / product, 1e-5 / product);
  observe_results_free(&r);
  observables_destroy(o, 1);
  /* A leaflet without lipids has no heights. */
  for (int k = 0; k < CELLS; k++)
    put_lipid(&s, 2 * k + 1, "DOPC", (double[3]){1, 1, 1}, (double[3]){0, 0, -1});
  o = observe(&s, "[undulation]", 0);
  take(&s, o);
  r = results_of(o);
  assert_true(isnan(*observe_column_of(o, r.value, 1, 1)));
  observe_results_free(&r);
  observables_destroy(o, 1);
  scene_free(&s);
}

/* Against the sum over all modes, each once; odd lattices too; b along y, or half of a aside. */
static void test_spectrum(void **state)
{
  (void)state;
  for (int run = 0; run < 24; run++) {
    const int grid = 4 + run / 3, lean = run % 3 - 1;
    const double box[BOX] = {2, 3.5, 4, lean, 0.5, 0};
    struct spectrum s;
    struct observable o = {0};
    spectrum_open(&s, &o, grid, box);
    double h[121], power[121], q[121], expected[121] = {0}, modes[121] = {0}, wave[121] = {0};
    for (int k = 0; k < grid * grid; k++)
      h[k] = sin(3.7 * k * k);
    for (int nx = -((grid - 1) / 2); nx <= grid / 2; nx++)
      for (int ny = -((grid - 1) / 2); ny <= grid / 2; ny++) {
        double re = 0, im = 0;
        const int n2 = nx * nx + ny * ny - lean * nx * ny;
        for (int k = 0; k < grid * grid; k++) {
          const double angle = 2 * UNITS_PI * (nx * (k / grid) + ny * (k % grid)) / grid;
          re += h[k] * cos(angle);
          im -= h[k] * sin(angle);
        }
        if (n2 == 0 || 4 * n2 > grid * grid) continue;
        if (lean && (2 * nx == grid || 2 * ny == grid)) continue;
        assert_true(s.row_of[n2] >= 0);
        expected[s.row_of[n2]] += 7.0 * (re * re + im * im) / pow(grid, 4);
        wave[s.row_of[n2]] += 2 * UNITS_PI * hypot(nx / 2.0, (ny - nx * lean / 2.0) / 3.5);
        modes[s.row_of[n2]]++;
      }
    spectrum_power(&s, h, 7.0, power);
    spectrum_q(&s, box, q);
    for (int k = 0; k < s.rows; k++) {
      near(s.modes[k], modes[k], 0);
      near(power[k], expected[k] / modes[k], 1e-12);
      near(q[k], wave[k] / modes[k], 1e-12);
    }
    observable_free(&o);
  }
}

static void test_fill(void **state)
{
  (void)state;
  double h[25] = {0};
  char is_set[25] = {0};
  h[0] = 1;  /* (0, 0) */
  h[11] = 4; /* (2, 1) */
  is_set[0] = is_set[11] = 1;
  assert_int_equal(spectrum_fill(5, h, is_set), 1);
  /* First round: (0, 1), (1, 1), (2, 0). Second: (3, 0), beside (4, 0), (2, 0) and (3, 1). */
  near(h[1], 1, 0);
  near(h[6], 4, 0);
  near(h[10], 4, 0);
  near(h[15], (1 + 4 + 4) / 3.0, 0);
  memset(is_set, 0, sizeof is_set);
  assert_int_equal(spectrum_fill(5, h, is_set), 0);
}

/* Leaflets */

static void test_flips(void **state)
{
  (void)state;
  struct scene s;
  const double x[3] = {1, 2, 1.5}, up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
  const double flat[3] = {0.9, 0.2, 0.387}; /* 67 degrees from the normal */
  enum { LIPIDS = 70 };
  scene_make(&s, LIPIDS, 8);
  for (int k = 0; k < LIPIDS; k++)
    put_lipid(&s, k, k < 40 ? "DOPE" : "DOPC", x, k < 33 ? down : up);
  struct observable *o = observe(&s, "[leaflets]", 0);
  for (int step = 0; step < 5; step++) {
    s.frame.time = 10 * step;
    if (step == 2) put_lipid(&s, 31, "DOPE", x, up);
    if (step == 3) put_lipid(&s, 31, "DOPE", x, down);
    if (step == 3) put_lipid(&s, 69, "DOPC", x, down);
    /* No flip. */
    if (step == 1) put_lipid(&s, 5, "DOPE", x, flat);
    if (step == 2) put_lipid(&s, 5, "DOPE", x, down);
    take(&s, o);
    /* Continued from a checkpoint. */
    int64_t n;
    double *saved = observable_save(o, &n);
    observables_destroy(o, 1);
    o = observe(&s, "[leaflets]", 0);
    assert_true(observable_load(o, saved, n));
    free(saved);
  }
  struct observe_results r = results_of(o);
  assert_string_equal(o->table[0].label[0], "DOPC");
  const double expected[2][4] = {{0.4, 29.6, 1, 1e6 / (30 * 40)}, {32.6, 7.4, 2, 2e6 / (40 * 40)}};
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < 4; c++)
      near(observe_column_of(o, r.value, 0, c)[k], expected[k][c], 1e-9 * expected[k][c]);
  observe_results_free(&r);
  observables_destroy(o, 1);
  scene_free(&s);
}

/* Squares of 8 x 8 lipids, one nm apart; half of each is DOPC. */
static void test_contacts(void **state)
{
  (void)state;
  struct scene s;
  scene_make(&s, 128, 8);
  for (int k = 0; k < 128; k++) {
    const double sign = k < 64 ? 1 : -1, u[3] = {0, 0, -sign};
    const double x[3] = {k % 64 / 8 + 0.3, k % 8 + 0.9, sign * 1.5};
    put_lipid(&s, k, k % 64 < 32 ? "DOPC" : "DOPE", x, u);
  }
  struct observable *o = observe(&s, "[leaflets: {range: 1.2}]", 0);
  take(&s, o);
  struct observe_results r = results_of(o);
  const double found[3] = {56 / 128.0, 16 / 128.0, 56 / 128.0};
  const double random[3] = {496 / 2016.0, 1024 / 2016.0, 496 / 2016.0};
  assert_string_equal(o->table[1].label[1], "DOPC_DOPE");
  for (int k = 0; k < 3; k++) {
    near(observe_column_of(o, r.value, 1, 0)[k], found[k], 1e-12);
    near(observe_column_of(o, r.value, 1, 1)[k], random[k], 1e-12);
  }
  observe_results_free(&r);
  observables_destroy(o, 1);
  scene_free(&s);
}

/* Against all pairs, for boxes of one cell and of many. */
static void test_neighbours(void **state)
{
  (void)state;
  enum { N = 400 };
  struct neighbour lipid[N];
  for (int k = 0; k < N; k++) {
    const uint32_t *w = rng_words(5, 0, (uint64_t)k, RNG_BUILD).word;
    lipid[k] =
        (struct neighbour){{w[0], w[1], w[2] & 1 ? LOWER_LEAFLET : 0}, (int)(w[2] >> 8 & 1), k};
  }
  const double range[] = {0.3, 1, 2.4, 3.1, 5, 20};
  for (int j = 0; j < 6; j++) {
    const struct neighbours s = {N, lipid, 0, N, 2, range[j], {7.3, 9.6}};
    int64_t expected[4] = {0}, count[4] = {0};
    for (int a = 0; a < N; a++)
      for (int b = a + 1; b < N; b++) {
        const double x = (int32_t)(lipid[a].x[0] - lipid[b].x[0]) * 7.3 / 4294967296.0;
        const double y = (int32_t)(lipid[a].x[1] - lipid[b].x[1]) * 9.6 / 4294967296.0;
        if (lipid[a].x[2] == lipid[b].x[2] && hypot(x, y) <= range[j])
          expected[2 * lipid[a].type + lipid[b].type]++;
      }
    neighbours_count(&s, count);
    assert_memory_equal(count, expected, sizeof count);
  }
}

static void test_options(void **state)
{
  (void)state;
  struct scene s;
  static const char *const wrong[] = {"[order: {head: Q}]",         "[order: {bins: 3}]",
                                      "[undulation: {grid: 3}]",    "[undulation: {grid: 257}]",
                                      "[undulation: {fit_to: 0}]",  "[leaflets: {range: -1}]",
                                      "[leaflets: {range: 1.2 nm}]"};
  scene_make(&s, 1, 8);
  put_lipid(&s, 0, "DOPC", (double[3]){0}, (double[3]){0, 0, 1});
  for (int k = 0; k < 7; k++)
    observables_destroy(observe(&s, wrong[k], 1), 1);
  s.about.share.molecules = 0; /* no lipids */
  observables_destroy(observe(&s, "[order]", 1), 1);
  observables_destroy(observe(&s, "[undulation]", 1), 1);
  observables_destroy(observe(&s, "[leaflets]", 1), 1);
  scene_free(&s);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_undulation_waves),
      cmocka_unit_test(test_undulation_rigidity),
      cmocka_unit_test(test_spectrum),
      cmocka_unit_test(test_fill),
      cmocka_unit_test(test_flips),
      cmocka_unit_test(test_contacts),
      cmocka_unit_test(test_neighbours),
      cmocka_unit_test(test_options),
  };
  ranks_open(&ranks, &argc, &argv);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
