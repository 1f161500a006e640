/* What chains of couplings sample (docs/theory/integrators.md): the canonical kinetic energies of
   groups of few beads, and the volumes of an ideal gas. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/backend.h"
#include "base/units.h"
#include "md/coupling.h"
#include "tests/support/settings.h"

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
      o->team[f->group[i]].kinetic += 0.5 * f->p[i][k] * f->p[i][k] / f->mass[i];
      o->team[f->group[i]].momentum[k] += f->p[i][k];
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
  struct coupling_params how = coupling_rules(p, 4, 0);
  how.seed = 31;
  how.n_baths = how.n_teams = c->groups;
  for (int g = 0; g < c->groups; g++)
    how.mass += c->beads[g] * c->mass[g];
  for (int g = 0; g < c->groups; g++) {
    how.bath[g] = (struct bath_params){303, 0.1, 3 * (c->beads[g] - 1), c->beads[g] * c->mass[g]};
    how.team[g].bath = g;
  }
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
  const double work = couple_factors(how, o, (const double[BOX]){5, 5, 5}, &s);
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
    double own = o->team[g].kinetic;
    for (int k = 0; k < 3; k++)
      own += 0.5 * how->bath[g].mass * drift[k] * drift[k] - drift[k] * o->team[g].momentum[k];
    sum[g] += own;
    sum2[g] += own * own;
  }
}

static double flock_energy(const struct thermo *o)
{
  return o->team[0].kinetic + o->team[1].kinetic + o->team[2].kinetic;
}

/* Moments of the kinetic energy of each group over a chain of couplings and collisions. In the
   canonical ensemble at constant momentum the motion inside of a group has 3 (n - 1) degrees of
   freedom, and its centre a variance of velocities that lacks the part of its mass. */
static void flock_run(const struct params *p, const struct flock_case *c, const double drift[3])
{
  enum { STEPS = 160000 };
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

/* Kinetic energies along the axes of an ideal gas: a canonical draw. */
static void gas_draw(int n, double kT, struct draws *d, double along[3])
{
  for (int k = 0; k < 3; k++)
    along[k] = kT * draw_gamma(d, 0.5 * n);
}

/* Applies the coupling of a step to a gas, whose momenta go with the edges; its pressure is that of
   its motion. */
static void gas_couple(const struct params *p, int64_t step, double edge[BOX], double along[3])
{
  struct coupling_params how = coupling_rules(p, step, 0);
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
  double edge[BOX] = {0}, along[3], sum = 0, sum2 = 0;
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_groups_are_canonical),
                                     cmocka_unit_test(volumes_of_a_gas)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
