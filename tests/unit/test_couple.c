/* Factors of thermostats and barostats (docs/theory/integrators.md) against their equations, and
   the moments of their noise. */
#include <math.h>
#include <string.h>

#include "backend/backend.h"
#include "base/units.h"
#include "md/coupling.h"
#include "tests/support/settings.h"

enum { SAMPLES = 40000 };

static const double box[BOX] = {5, 4, 8};
static const double mass = 1000;

/* A state of 160 nm3 at some pressure, whose beads are one heat bath. */
static struct thermo seen(double kinetic)
{
  struct thermo o;
  memset(&o, 0, sizeof o);
  o.kinetic = 0.7 * kinetic;
  o.rotational = 0.3 * kinetic;
  o.volume = box[0] * box[1] * box[2];
  o.pressure_of_centres[0] = 120;
  o.pressure_of_centres[4] = -40;
  o.pressure_of_centres[8] = 310;
  o.momentum[0] = 50;
  o.momentum[2] = -20;
  o.team[0].kinetic = kinetic;
  memcpy(o.team[0].momentum, o.momentum, sizeof o.momentum);
  return o;
}

static struct scaling factors(const struct params *p, int64_t step, const struct thermo *o,
                              double dof, double *work)
{
  struct coupling_params how = coupling_rules(p, step, 0);
  struct scaling scaling;
  how.dof.translation = 0.6 * dof;
  how.dof.rotation = 0.4 * dof;
  how.bath[0].dof = dof;
  how.mass = how.group_mass[0][0] = how.group_mass[0][1] = how.group_mass[0][2] = mass;
  how.seed = 99;
  *work = couple_factors(&how, o, box, &scaling);
  return scaling;
}

static void berendsen(void **state)
{
  (void)state;
  struct params *p =
      SETTINGS("thermostat.type=berendsen", "thermostat.every=5", "thermostat.tau=2",
               "thermostat.temperature=300", "run.dt=0.02", "barostat.type=berendsen",
               "barostat.coupling=semi_isotropic", "barostat.pressure=10", "barostat.every=20",
               "barostat.tau=4", "barostat.compressibility=5e-5");
  struct thermo o = seen(1000);
  double work, rate = 5e-5 * 0.4 / (3 * 4);
  struct scaling scaling = factors(p, 20, &o, 900, &work);
  near(scaling.scale[0], sqrt(1 + 5 * 0.02 / 2 * (300 * 900 * UNITS_BOLTZMANN / 2000 - 1)), 1e-14);
  near(work, (pow(scaling.scale[0], 2) - 1) * 1000, 1e-9);
  near(scaling.stretch[0], 1 - rate * (10 - 40), 1e-14);
  near(scaling.stretch[1], scaling.stretch[0], 0);
  near(scaling.stretch[2], 1 - rate * (10 - 310), 1e-14);
  scaling = factors(p, 15, &o, 900, &work); /* the thermostat alone */
  assert_true(scaling.scale[0] != 1 && scaling.stretch[0] == 1 && scaling.stretch[2] == 1);
  scaling = factors(p, 13, &o, 900, &work);
  assert_true(scaling.scale[0] == 1 && scaling.stretch[0] == 1 && work == 0 &&
              scaling.shift[0][0] == 0);
  params_destroy(p);
}

static void momentum(void **state)
{
  (void)state;
  struct params *p = SETTINGS("run.momentum_every=10");
  struct thermo o = seen(1000);
  double work;
  struct scaling scaling = factors(p, 10, &o, 900, &work);
  near(scaling.shift[0][0], 50 / mass, 1e-15);
  near(scaling.shift[0][2], -20 / mass, 1e-15);
  near(work, -0.5 * (50 * 50 + 20 * 20) / mass, 1e-12);
  assert_true(scaling.scale[0] == 1 && scaling.shift[0][1] == 0);
  params_destroy(p);
}

/* alpha^2 = c + r (1-c) (R^2 + S) + 2 R sqrt(c (1-c) r), r = K0 / (N K). */
static void bussi_factor(void **state)
{
  (void)state;
  static const double dofs[] = {1, 2, 7, 300, 20000};
  struct params *p = SETTINGS("thermostat.type=bussi", "thermostat.every=10", "thermostat.tau=0.3",
                              "thermostat.temperature=303");
  double c = exp(-10 * 0.01 / 0.3), work;
  for (size_t k = 0; k < sizeof dofs / sizeof *dofs; k++) {
    double n = dofs[k], target = 0.5 * n * UNITS_BOLTZMANN * 303, kinetic = 1.3 * target;
    double r = target / (n * kinetic), sum = 0, sum2 = 0;
    struct thermo o = seen(kinetic);
    for (int step = 1; step <= SAMPLES; step++) {
      struct scaling scaling = factors(p, 10 * step, &o, n, &work);
      double a = scaling.scale[0] * scaling.scale[0];
      near(work, (a - 1) * kinetic, 1e-9 * kinetic);
      sum += a;
      sum2 += a * a;
    }
    double mean = sum / SAMPLES, variance = sum2 / SAMPLES - mean * mean;
    double want = r * r * (1 - c) * (1 - c) * 2 * n + 4 * c * (1 - c) * r;
    near(mean, c + r * (1 - c) * n, 5 * sqrt(want / SAMPLES));
    near(variance / want, 1, 5 * sqrt((2 + 12 / n) / SAMPLES));
  }
  params_destroy(p);
}

/* Chained, it samples K0 (2 / N) Gamma(N / 2): mean N kT / 2, variance N (kT)^2 / 2. */
static void bussi_samples_the_canonical_law(void **state)
{
  (void)state;
  struct params *p = SETTINGS("thermostat.type=bussi", "thermostat.every=10", "thermostat.tau=0.05",
                              "thermostat.temperature=303");
  double kT = UNITS_BOLTZMANN * 303, n = 12, work, sum = 0, sum2 = 0, kinetic = 6 * kT;
  for (int step = 1; step <= SAMPLES; step++) {
    struct thermo o = seen(kinetic);
    struct scaling scaling = factors(p, 10 * step, &o, n, &work);
    kinetic *= scaling.scale[0] * scaling.scale[0];
    sum += kinetic / kT;
    sum2 += kinetic * kinetic / (kT * kT);
  }
  double mean = sum / SAMPLES, variance = sum2 / SAMPLES - mean * mean;
  near(mean, n / 2, 6 * sqrt(n / 2 / SAMPLES));
  near(variance / (n / 2), 1, 6 * sqrt((2 + 12 / n) / SAMPLES));
  params_destroy(p);
}

/* Two heat baths: of 1000 and 400 kJ/mol, 900 and 300 degrees of freedom, at 300 K and 250 K. */
static struct coupling_params two_baths(const struct params *p, int64_t step, struct thermo *o)
{
  struct coupling_params how = coupling_rules(p, step, 0);
  how.mass = how.group_mass[0][0] = how.group_mass[0][1] = how.group_mass[0][2] = mass;
  how.seed = 99;
  how.n_baths = how.n_teams = 2;
  how.team[1].bath = 1;
  how.bath[0] = (struct bath_params){300, 2, 900, 700};
  how.bath[1] = (struct bath_params){250, 0.5, 300, 300};
  memset(o, 0, sizeof *o);
  o->team[0] = (struct team_motion){1000, {70, 3, 0}};
  o->team[1] = (struct team_motion){400, {-20, -3, 0}};
  o->momentum[0] = 50;
  return how;
}

/* Each bath has its own factor, which also scales the motion of its centre where the total momentum
   need not stay. */
static void baths(void **state)
{
  (void)state;
  struct params *p = SETTINGS("thermostat.type=berendsen", "thermostat.every=5", "run.dt=0.02",
                              "run.momentum_every=10");
  const double kB = UNITS_BOLTZMANN, a = sqrt(1 + 0.1 / 2 * (300 * 900 * kB / 2000 - 1)),
               b = sqrt(1 + 0.1 / 0.5 * (250 * 300 * kB / 800 - 1));
  const double scaled = (a * a - 1) * 1000 + (b * b - 1) * 400, x = a * 70 - b * 20,
               y = a * 3 - b * 3;
  struct thermo o;
  struct scaling scaling;
  struct coupling_params how = two_baths(p, 5, &o);
  double work = couple_factors(&how, &o, box, &scaling);
  near(scaling.scale[0], a, 1e-14);
  near(scaling.scale[1], b, 1e-14);
  near(work, scaled, 1e-10);
  assert_true(scaling.shift[0][0] == 0 && scaling.shift[1][0] == 0);
  how = two_baths(p, 10, &o);
  work = couple_factors(&how, &o, box, &scaling);
  for (int k = 0; k < 2; k++) {
    near(scaling.shift[k][0], x / mass, 1e-15);
    near(scaling.shift[k][1], y / mass, 1e-15);
  }
  near(work, scaled - 0.5 * (x * x + y * y) / mass, 1e-10);
  how = two_baths(p, 9, &o);
  how.centres = (struct bath_params){280, 1, 3, 0};
  work = couple_factors(&how, &o, box, &scaling);
  assert_true(scaling.scale[0] == 1 && scaling.scale[1] == 1 && scaling.shift[0][0] == 0 &&
              work == 0);
  params_destroy(p);
}

/* The factors of two baths with the same parameters are drawn apart, and the first is that of one
   bath for all. */
static void baths_draw_apart(void **state)
{
  (void)state;
  struct params *p = SETTINGS("thermostat.type=bussi", "thermostat.every=10", "thermostat.tau=0.3",
                              "thermostat.temperature=303");
  const double n = 40, kinetic = 0.5 * n * UNITS_BOLTZMANN * 303;
  double work, sum[2] = {0}, sum2[2] = {0}, product = 0;
  for (int step = 1; step <= SAMPLES; step++) {
    struct thermo o = seen(kinetic);
    struct scaling one = factors(p, 10 * step, &o, n, &work), two;
    struct coupling_params how = two_baths(p, 10 * step, &o);
    for (int k = 0; k < 2; k++) {
      how.bath[k] = (struct bath_params){303, 0.3, n, 0};
      o.team[k].kinetic = kinetic;
    }
    couple_factors(&how, &o, box, &two);
    assert_true(two.scale[0] == one.scale[0]);
    for (int k = 0; k < 2; k++) {
      sum[k] += two.scale[k] / SAMPLES;
      sum2[k] += two.scale[k] * two.scale[k] / SAMPLES;
    }
    product += two.scale[0] * two.scale[1] / SAMPLES;
  }
  const double v0 = sum2[0] - sum[0] * sum[0], v1 = sum2[1] - sum[1] * sum[1];
  near((product - sum[0] * sum[1]) / sqrt(v0 * v1), 0, 4 / sqrt(SAMPLES));
  near(v1 / v0, 1, 6 * sqrt(4.0 / SAMPLES));
  params_destroy(p);
}

/* Logarithmic growth of edges: means, variances and correlations over many steps. */
struct moments {
  double mean[3], variance[3], cross[3]; /* cross: xy, xz, yz */
};

static struct moments moments_of(const struct params *p)
{
  struct moments g;
  struct thermo o = seen(1000);
  double sum[3] = {0}, sum2[3] = {0}, product[3] = {0}, work;
  for (int step = 1; step <= SAMPLES; step++) {
    struct scaling scaling = factors(p, 10 * step + 1, &o, 900, &work);
    double e[3];
    for (int k = 0; k < 3; k++) {
      e[k] = log(scaling.stretch[k]);
      sum[k] += e[k];
      sum2[k] += e[k] * e[k];
    }
    product[0] += e[0] * e[1];
    product[1] += e[0] * e[2];
    product[2] += e[1] * e[2];
  }
  static const int a[3] = {0, 0, 1}, b[3] = {1, 2, 2};
  for (int k = 0; k < 3; k++) {
    g.mean[k] = sum[k] / SAMPLES;
    g.variance[k] = sum2[k] / SAMPLES - g.mean[k] * g.mean[k];
  }
  for (int k = 0; k < 3; k++)
    g.cross[k] = product[k] / SAMPLES - g.mean[a[k]] * g.mean[b[k]];
  return g;
}

/* Of each coupling: drift in beta (1 - exp(-h / tau)) bar, variance in 2 kT beta (1 - exp(-h /
   tau)) / V, and which edges move together. */
struct crescale_case {
  const char *name;
  double drift[3], variance[3], cross[3];
};

static void crescale(void **state)
{
  (void)state;
  const double p0 = 10, tension = 800, mean = (120 - 40 + 310) / 3.0, flat = 40;
  const double pull = flat - (p0 - tension / box[2]);
  const struct crescale_case all[] = {
      {"barostat.coupling=isotropic",
       {(mean - p0) / 3, (mean - p0) / 3, (mean - p0) / 3},
       {1.0 / 9, 1.0 / 9, 1.0 / 9},
       {1.0 / 9, 1.0 / 9, 1.0 / 9}},
      {"barostat.coupling=semi_isotropic",
       {(flat - p0) / 3, (flat - p0) / 3, (310 - p0) / 3},
       {1.0 / 6, 1.0 / 6, 1.0 / 3},
       {1.0 / 6, 0, 0}},
      {"barostat.coupling=surface_tension",
       {pull / 3, pull / 3, (310 - p0) / 3},
       {1.0 / 6, 1.0 / 6, 1.0 / 3},
       {1.0 / 6, 0, 0}},
      {"barostat.coupling=anisotropic",
       {(120 - p0) / 3, (-40 - p0) / 3, (310 - p0) / 3},
       {1.0 / 3, 1.0 / 3, 1.0 / 3},
       {0, 0, 0}},
      {"barostat.coupling=constant_area", {0, 0, (310 - p0) / 3}, {0, 0, 1.0 / 3}, {0, 0, 0}}};
  const double rate = 4e-4 * (1 - exp(-10 * 0.01 / 2.0));
  const double itself = UNITS_BOLTZMANN * 310 * UNITS_BAR / (box[0] * box[1] * box[2]);
  const double noise = 2 * UNITS_BOLTZMANN * 310 * UNITS_BAR * rate / (box[0] * box[1] * box[2]);
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    struct params *p =
        SETTINGS("barostat.type=crescale", (char *)(uintptr_t)all[k].name, "barostat.pressure=10",
                 "barostat.surface_tension=800", "barostat.compressibility=4e-4", "barostat.tau=2",
                 "thermostat.temperature=310");
    struct moments g = moments_of(p);
    for (int d = 0; d < 3; d++) {
      const double most = d == 2 || k > 0 ? itself : itself / 3; /* of sizes that are not linear */
      near(g.mean[d] / rate, all[k].drift[d],
           5 * sqrt(noise * all[k].variance[d] / SAMPLES) / rate + most + rate * 1e5);
      near(g.variance[d] / noise, all[k].variance[d] * 9 / 16,
           6 * all[k].variance[d] / sqrt(SAMPLES) + 1e-3);
      near(g.cross[d] / noise, all[k].cross[d] * 9 / 16, 3.0 / sqrt(SAMPLES));
    }
    params_destroy(p);
  }
}

/* Each edge has its compressibility, and keeps its length to the bit where that is 0. */
static void edges_that_stay(void **state)
{
  (void)state;
  static const char *const coupling[] = {"barostat.coupling=anisotropic",
                                         "barostat.coupling=semi_isotropic"};
  static const char *const edges[] = {"barostat.compressibility=[0, 3e-4, 1e-4]",
                                      "barostat.compressibility=[2e-4, 2e-4, 0]"};
  static const double each[2][3] = {{0, 3e-4, 1e-4}, {2e-4, 2e-4, 0}};
  for (int k = 0; k < 2; k++) {
    struct thermo o = seen(1000);
    double work, plain[3];
    struct params *p = SETTINGS("barostat.type=berendsen", (char *)(uintptr_t)coupling[k],
                                (char *)(uintptr_t)edges[k], "barostat.tau=4");
    struct params *q = SETTINGS("barostat.type=berendsen", (char *)(uintptr_t)coupling[k],
                                "barostat.compressibility=1e-4", "barostat.tau=4");
    memcpy(plain, factors(q, 10, &o, 900, &work).stretch, sizeof plain);
    struct scaling scaling = factors(p, 10, &o, 900, &work);
    for (int d = 0; d < 3; d++)
      near(scaling.stretch[d] - 1, (plain[d] - 1) * each[k][d] / 1e-4, 1e-14);
    params_set_int(p, "barostat.type", BAROSTAT_CRESCALE);
    for (int step = 1; step < 100; step++) {
      scaling = factors(p, step, &o, 900, &work);
      for (int d = 0; d < 3; d++)
        assert_true(each[k][d] > 0 || scaling.stretch[d] == 1);
    }
    assert_true(factors(p, 11, &o, 900, &work).stretch[1] != 1);
    params_destroy(p);
    params_destroy(q);
  }
}

static void what_is_due(void **state)
{
  (void)state;
  struct params *p =
      SETTINGS("thermostat.type=bussi", "thermostat.every=4", "barostat.every=6",
               "barostat.type=crescale", "run.momentum_every=10", "output.energies_every=20");
  for (int64_t step = 0; step < 130; step++) {
    const struct due due = schedule_due(p, step);
    int virial = step > 0 && step % 6 == 1;
    assert_int_equal(due.barostat, virial);
    assert_int_equal(due.probe, step % 6 == 0);
    assert_int_equal(due_force_flags(&due), step % 20 == 0 ? FORCE_ENERGY
                                            : virial       ? FORCE_VIRIAL
                                                           : 0);
    const int sums = virial || (step > 1 && (step % 4 == 1 || step % 10 == 1));
    assert_int_equal(due_coupling_sums(&due), sums);
    assert_int_equal(due_coupling(&due), sums || due.probe);
  }
  params_destroy(p);
  p = SETTINGS("thermostat.type=langevin");
  for (int64_t step = 0; step < 30; step++) {
    const struct due due = schedule_due(p, step);
    assert_false(due_coupling(&due));
  }
  params_destroy(p);
}

/* A virial (kJ/mol) in the middle of a step that couples. */
static struct coupling_state applied(double virial)
{
  struct params *p = SETTINGS("barostat.type=berendsen", "barostat.coupling=isotropic",
                              "barostat.every=10", "barostat.tau=1", "run.dt=0.02");
  struct coupling_params how = coupling_rules(p, 10, 0);
  struct coupling_state now = coupling_state_start(box);
  struct sums sums;
  memset(&sums, 0, sizeof sums);
  how.cutoff = 1;
  how.reach[0] = how.reach[1] = 1.2;
  memcpy(how.build_box, box, sizeof box);
  for (int k = 0; k < 3; k++)
    sums.word[SUM_VIRIAL + 4 * k] = (int64_t)virial;
  couple_apply(&how, &sums, &now);
  params_destroy(p);
  return now;
}

/* A pressure that would turn the box inside out is told as sums that do not fit, and changes
   nothing. */
static void no_box_at_all(void **state)
{
  (void)state;
  struct coupling_state good = applied(-1000), bad = applied(-1e9);
  assert_int_equal(good.overflow, 0);
  assert_true(good.box[0] < box[0] && good.box[0] > 0.9 * box[0] && good.search_above2 > 0);
  assert_true(bad.overflow > 0 && bad.step == 10);
  assert_memory_equal(bad.box, box, sizeof box);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(berendsen),    cmocka_unit_test(momentum),
      cmocka_unit_test(bussi_factor), cmocka_unit_test(bussi_samples_the_canonical_law),
      cmocka_unit_test(baths),        cmocka_unit_test(baths_draw_apart),
      cmocka_unit_test(crescale),     cmocka_unit_test(edges_that_stay),
      cmocka_unit_test(what_is_due),  cmocka_unit_test(no_box_at_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
