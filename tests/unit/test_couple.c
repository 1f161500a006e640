/* Factors of thermostats and barostats (docs/theory/integrators.md) against their equations, and
   the moments of their noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/backend.h"
#include "base/units.h"
#include "md/coupling.h"

enum { SAMPLES = 40000 };

static const double box[3] = {5, 4, 8};
static const double mass = 1000;

static struct params *settings(char *const *overrides, int n)
{
  return params_load(NULL, n, overrides);
}

#define SETTINGS(...)                                                                              \
  settings((char *[]){__VA_ARGS__}, (int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)))

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
  o.bath[0].kinetic = kinetic;
  memcpy(o.bath[0].momentum, o.momentum, sizeof o.momentum);
  return o;
}

static struct scaling factors(const struct params *p, int64_t step, const struct thermo *o,
                              double dof, double *work)
{
  struct coupling_params how = coupling_rules(p, step);
  struct scaling scaling;
  how.dof.translation = 0.6 * dof;
  how.dof.rotation = 0.4 * dof;
  how.bath[0].dof = dof;
  how.mass = mass;
  how.seed = 99;
  *work = couple_factors(&how, o, box, &scaling);
  return scaling;
}

static void near(double got, double want, double tolerance)
{
  if (fabs(got - want) > tolerance) fail_msg("got %.12g, want %.12g", got, want);
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
  struct coupling_params how = coupling_rules(p, step);
  how.mass = mass;
  how.seed = 99;
  how.n_baths = 2;
  how.bath[0] = (struct bath_params){300, 2, 900, 700};
  how.bath[1] = (struct bath_params){250, 0.5, 300, 300};
  memset(o, 0, sizeof *o);
  o->bath[0] = (struct bath_motion){1000, {70, 3, 0}};
  o->bath[1] = (struct bath_motion){400, {-20, -3, 0}};
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
      o.bath[k].kinetic = kinetic;
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

/* Beads of several groups, some of which collide at random between couplings: a pair turns the
   velocity at which it meets, which changes neither momentum nor energy. */
enum { FLOCK = 64 };
struct flock {
  int n, groups, group[FLOCK];
  double mass[FLOCK], p[FLOCK][3];
  uint64_t draws;
};

static void collide(struct flock *f)
{
  double xi[4], turn[4], w[3], w2 = 0, u2 = 0;
  rng_uniform(7, 0, f->draws, RNG_START, xi);
  rng_normal(7, 1, f->draws++, RNG_START, turn);
  const int a = (int)(xi[0] * f->n), b = (int)(xi[1] * f->n);
  if (a == b) return;
  const double reduced = f->mass[a] * f->mass[b] / (f->mass[a] + f->mass[b]);
  for (int k = 0; k < 3; k++) {
    w[k] = f->p[a][k] / f->mass[a] - f->p[b][k] / f->mass[b];
    w2 += w[k] * w[k];
    u2 += turn[k] * turn[k];
  }
  for (int k = 0; k < 3; k++) {
    const double change = reduced * (turn[k] * sqrt(w2 / u2) - w[k]);
    f->p[a][k] += change;
    f->p[b][k] -= change;
  }
}

static void flock_state(const struct flock *f, struct thermo *o)
{
  memset(o, 0, sizeof *o);
  for (int i = 0; i < f->n; i++)
    for (int k = 0; k < 3; k++) {
      o->bath[f->group[i]].kinetic += 0.5 * f->p[i][k] * f->p[i][k] / f->mass[i];
      o->bath[f->group[i]].momentum[k] += f->p[i][k];
      o->momentum[k] += f->p[i][k];
    }
}

/* Beads of each group, and their masses. */
struct flock_case {
  int groups, beads[3];
  double mass[3];
};

/* The coupling of a flock as md/coupling.c sets it where the momentum is constant. */
static struct coupling_params flock_coupling(const struct params *p, const struct flock_case *c)
{
  struct coupling_params how = coupling_rules(p, 4);
  how.seed = 31;
  how.n_baths = c->groups;
  for (int g = 0; g < c->groups; g++)
    how.mass += c->beads[g] * c->mass[g];
  for (int g = 0; g < c->groups; g++)
    how.bath[g] = (struct bath_params){303, 0.1, 3 * (c->beads[g] - 1), c->beads[g] * c->mass[g]};
  how.centres = (struct bath_params){303, 0.1, 3 * (c->groups - 1), 0};
  return how;
}

/* At rest but for the drift of the whole, with one pair of beads that fly apart. */
static struct flock flock_start(const struct flock_case *c, const double drift[3])
{
  struct flock f = {.groups = c->groups};
  for (int g = 0; g < c->groups; g++)
    for (int i = 0; i < c->beads[g]; i++, f.n++) {
      f.group[f.n] = g;
      f.mass[f.n] = c->mass[g];
      for (int k = 0; k < 3; k++)
        f.p[f.n][k] = drift[k] * c->mass[g];
    }
  f.p[0][1] += 20;
  f.p[f.n - 1][1] -= 20;
  return f;
}

/* Couples the flock in its state *o; returns the work of that. */
static double flock_couple(struct flock *f, const struct coupling_params *how,
                           const struct thermo *o)
{
  struct scaling s;
  const double work = couple_factors(how, o, box, &s);
  for (int i = 0; i < f->n; i++)
    for (int k = 0; k < 3; k++)
      f->p[i][k] = s.scale[f->group[i]] * f->p[i][k] - f->mass[i] * s.shift[f->group[i]][k];
  return work;
}

/* Adds the kinetic energies of the groups without the drift of the whole, and their squares. */
static void flock_note(const struct coupling_params *how, const struct thermo *o,
                       const double drift[3], double sum[3], double sum2[3])
{
  for (int g = 0; g < how->n_baths; g++) {
    double own = o->bath[g].kinetic;
    for (int k = 0; k < 3; k++)
      own += 0.5 * how->bath[g].mass * drift[k] * drift[k] - drift[k] * o->bath[g].momentum[k];
    sum[g] += own;
    sum2[g] += own * own;
  }
}

static double flock_energy(const struct thermo *o)
{
  return o->bath[0].kinetic + o->bath[1].kinetic + o->bath[2].kinetic;
}

/* Moments of the kinetic energy of each group over a chain of couplings and collisions. In the
   canonical ensemble at constant momentum the motion inside of a group has 3 (n - 1) degrees of
   freedom, and its centre a variance of velocities that lacks the part of its mass. */
static void flock_run(const struct params *p, const struct flock_case *c, const double drift[3])
{
  enum { STEPS = 4 * SAMPLES };
  const double kT = UNITS_BOLTZMANN * 303;
  struct coupling_params how = flock_coupling(p, c);
  struct flock f = flock_start(c, drift);
  struct thermo o;
  double sum[3] = {0}, sum2[3] = {0}, work = 0;
  flock_state(&f, &o);
  const double begin = flock_energy(&o);
  for (how.step = 1; how.step <= STEPS; how.step++) {
    work += flock_couple(&f, &how, &o);
    for (int k = 0; k < 2; k++)
      collide(&f);
    flock_state(&f, &o);
    flock_note(&how, &o, drift, sum, sum2);
  }
  near(work, flock_energy(&o) - begin, 1e-5);
  for (int k = 0; k < 3; k++)
    near(o.momentum[k], how.mass * drift[k], 1e-6);
  for (int g = 0; g < c->groups; g++) {
    const double rest = 1 - how.bath[g].mass / how.mass, n = c->beads[g];
    const double mean = sum[g] / STEPS / kT, square = sum2[g] / STEPS / (kT * kT);
    const double want = 1.5 * (n - 1 + rest), variance = 1.5 * (n - 1 + rest * rest);
    if (fabs(mean / want - 1) > 0.02 || fabs((square - mean * mean) / variance - 1) > 0.06)
      fail_msg("group %d of %d: mean %g of %g, variance %g of %g", g + 1, c->groups, mean, want,
               square - mean * mean, variance);
  }
}

/* Groups of any size have the canonical law of their kinetic energies, and the total momentum
   stays: also a group of a single bead, and one that has most of the mass. */
static void small_groups_are_canonical(void **state)
{
  (void)state;
  static const struct flock_case all[] = {{2, {2, 12}, {200, 20}},
                                          {2, {1, 40}, {500, 20}},
                                          {2, {1, 1}, {200, 20}},
                                          {2, {7, 9}, {30, 30}},
                                          {3, {1, 3, 8}, {150, 50, 20}}};
  struct params *p =
      SETTINGS("thermostat.type=bussi", "thermostat.every=4", "thermostat.temperature=303");
  const double drift[3] = {0.02, -0.05, 0};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    flock_run(p, &all[k], drift);
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

/* Kinetic energies along the axes of an ideal gas: a canonical draw. */
static void gas_draw(int n, double kT, struct draws *d, double along[3])
{
  for (int k = 0; k < 3; k++)
    along[k] = kT * draw_gamma(d, 0.5 * n);
}

/* Applies the coupling of a step to a gas, whose momenta go with the edges; its pressure is that of
   its motion. */
static void gas_couple(const struct params *p, int64_t step, double edge[3], double along[3])
{
  struct coupling_params how = coupling_rules(p, step);
  struct scaling s;
  struct thermo o;
  how.seed = 5;
  memset(&o, 0, sizeof o);
  for (int k = 0; k < 3; k++)
    o.pressure_of_centres[4 * k] = 2 * along[k] / (edge[0] * edge[1] * edge[2]) * UNITS_BAR;
  couple_factors(&how, &o, edge, &s);
  for (int k = 0; k < 3; k++) {
    edge[k] *= s.stretch[k];
    along[k] /= s.stretch[k] * s.stretch[k];
  }
}

/* The volume of an ideal gas that forgets its momenta between couplings is distributed as
   V^N exp(-P V / kT), for all couplings, at intervals and for compressibilities of any size that is
   accepted. every: steps of 0.01 ps; factor: of the compressibility of the gas. */
struct gas_case {
  const char *coupling;
  int every;
  double factor, tolerance;
};

static void gas_run(const struct gas_case *c)
{
  enum { N = 50, STEPS = 150000 };
  const double kT = UNITS_BOLTZMANN * 300, P = 12, v0 = (N + 1) * kT * UNITS_BAR / P;
  char text[3][64];
  snprintf(text[0], sizeof text[0], "barostat.coupling=%s", c->coupling);
  snprintf(text[1], sizeof text[1], "barostat.every=%d", c->every);
  snprintf(text[2], sizeof text[2], "barostat.compressibility=%.9g", c->factor / P);
  struct params *p =
      SETTINGS("barostat.type=crescale", text[0], text[1], text[2], "run.dt=0.01", "barostat.tau=1",
               "barostat.pressure=12", "thermostat.temperature=300");
  double edge[3], along[3], sum = 0, sum2 = 0;
  struct draws d = {3, (uint64_t)c->every, 0, RNG_START};
  for (int k = 0; k < 3; k++)
    edge[k] = cbrt(v0);
  for (int n = 0; n < STEPS; n++) {
    gas_draw(N, kT, &d, along);
    gas_couple(p, (int64_t)n * c->every, edge, along);
    gas_couple(p, (int64_t)n * c->every + 1, edge, along);
    const double v = edge[0] * edge[1] * edge[2] / v0;
    sum += v / STEPS;
    sum2 += v * v / STEPS;
  }
  const double ratio = (sum2 - sum * sum) * (N + 1);
  if (fabs(sum - 1) > 0.01 || fabs(ratio - 1) > c->tolerance)
    fail_msg("%s, every %d, %g of the compressibility: mean %g, variance %g of the exact ones",
             c->coupling, c->every, c->factor, sum, ratio);
  params_destroy(p);
}

static void volumes_of_a_gas(void **state)
{
  (void)state;
  static const struct gas_case all[] = {
      {"isotropic", 5, 1, 0.06},    {"isotropic", 10, 1, 0.05},    {"isotropic", 40, 1, 0.06},
      {"isotropic", 10, 3, 0.05},   {"isotropic", 20, 0.4, 0.06},  {"semi_isotropic", 20, 1, 0.05},
      {"anisotropic", 20, 1, 0.05}, {"constant_area", 30, 1, 0.06}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    gas_run(&all[k]);
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
    const int sums = step > 0 && (virial || step % 4 == 0 || step % 10 == 0);
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
  struct coupling_params how = coupling_rules(p, 10);
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
      cmocka_unit_test(berendsen),       cmocka_unit_test(momentum),
      cmocka_unit_test(bussi_factor),    cmocka_unit_test(bussi_samples_the_canonical_law),
      cmocka_unit_test(baths),           cmocka_unit_test(baths_draw_apart),
      cmocka_unit_test(crescale),        cmocka_unit_test(what_is_due),
      cmocka_unit_test(no_box_at_all),   cmocka_unit_test(small_groups_are_canonical),
      cmocka_unit_test(volumes_of_a_gas)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
