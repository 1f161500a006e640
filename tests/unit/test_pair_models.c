/* Soft sticky dipole water and Gay-Berne ellipsoids against values of an independent evaluator
   written from the papers' formulas, in double, without a cutoff: ours is so far away that what it
   changes is below the last printed digit. Water: the rows of OpenMD's Water.frc, kcal/mol and A.
   Gay-Berne: sigma0 = eps0 = 1. */
#include <stdlib.h>
#include <string.h>

#include "pair/pair.h"
#include "pair/pair_lj.h"
#include "tests/support/unit.h"

static const double far = 1e5, coulomb = 332.06371, debye = 0.20819434;

struct water {
  double sigma, mu, v0, on[2], end[2];
};

static const struct water waters[] = {{3.051, 2.35, 3.7284, {2.75, 2.75}, {3.35, 4.00}},
                                      {3.016, 2.35, 3.6613, {2.75, 2.75}, {3.35, 4.00}},
                                      {3.035, 2.42, 3.90, {2.40, 2.75}, {3.80, 3.35}},
                                      {3.019, 2.48, 3.90, {2.40, 2.75}, {3.80, 3.35}}};

/* Body axes x and z in the laboratory. */
static const double frame_i[2][3] = {{0, 0, 1}, {0, -1, 0}};
static const double frame_j[2][3] = {{0.36, 0.48, 0.8}, {-0.48, -0.64, 0.6}};

struct result {
  double u, f[3], t[3]; /* on the first bead, lengths in A */
};

static struct vec3 vec(const double v[3])
{
  return vec3_make(v[0], v[1], v[2]);
}

static struct pair_bead bead_of(const double axis[2][3], double length)
{
  struct pair_bead b;
  b.u = vec3_scale(length, vec(axis[1]));
  b.x = vec(axis[0]);
  b.y = vec3_cross(b.u, b.x);
  b.q = 0;
  return b;
}

/* r = r_i - r_j in cutoffs. */
static struct result evaluate(unsigned set, struct pair_constants k, struct pair_coef c,
                              const double r[3], struct pair_bead i, struct pair_bead j,
                              double cutoff)
{
  struct pair_arg p = pair_arguments(vec(r), i, j, 0, set);
  struct pair_value v = pair_evaluate(set, k, c, p);
  struct pair_sum s = pair_gather(pair_none(), v.slope, vec(r), j, 2);
  struct vec3 f = pair_force(s, i, 2), t = pair_torque(s, i, 2);
  struct result out = {0, {f.x / cutoff, f.y / cutoff, f.z / cutoff}, {t.x, t.y, t.z}};
  for (int e = 0; e < ENERGIES; e++)
    out.u += v.energy[e];
  return out;
}

static struct pair_constants constants_of(int mu, int nu)
{
  struct pair_constants k = {
      .switch_from = 0.9, .switch_factor = 1000, .dipoles = 1, .gb_mu = mu, .gb_nu = nu};
  return k;
}

/* away: from the first to the second molecule, A. swapped: the result is for the second. */
static struct result water_pair(const struct water *w, unsigned set, const double away[3],
                                int swapped)
{
  const double length = pair_dipole_scale(coulomb, far) * w->mu * debye, v0[2] = {w->v0, w->v0};
  double on[2], end[2], r[3];
  struct pair_coef c;
  memset(&c, 0, sizeof c);
  for (int k = 0; k < 2; k++) {
    on[k] = w->on[k] / far;
    end[k] = w->end[k] / far;
  }
  for (int k = 0; k < 3; k++)
    r[k] = (swapped ? away[k] : -away[k]) / far;
  pair_lj_set(&c.lj, 0.152, w->sigma / far);
  pair_sticky_set(&c.sticky, v0, 0.07715, on, end, 1 / length, 1 / length);
  struct pair_bead i = bead_of(frame_i, length), j = bead_of(frame_j, length);
  return evaluate(set, constants_of(0, 0), c, r, swapped ? j : i, swapped ? i : j, far);
}

#define WATER_TERMS (PAIR_BIT(lj_switch) | PAIR_BIT(dd_switch) | PAIR_BIT(sticky))

static void close_to(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.10g is not %.10g", a, b);
}

static void test_water_energies(void **state)
{
  static const double away[3][3] = {{2.9, 0.3, -0.4}, {1.5, -1.8, 2.1}, {-2.0, 2.2, 1.1}};
  static const double parts[4][3] = {{0.18268608, 1.40492756, -0.34747568},
                                     {0.11193789, 1.40492756, -0.34122217},
                                     {0.14879383, 1.48987193, -0.33102266},
                                     {0.11752217, 1.56466572, -0.33102266}};
  static const double total[4][3] = {{1.24013796, -0.59164872, 2.17968532},
                                     {1.17564328, -0.61604640, 2.15633601},
                                     {1.30764311, -0.35436417, 2.39455336},
                                     {1.35116523, -0.40175215, 2.49051039}};
  static const unsigned term[3] = {PAIR_BIT(lj_switch), PAIR_BIT(dd_switch), PAIR_BIT(sticky)};
  (void)state;
  for (int m = 0; m < 4; m++)
    for (int k = 0; k < 3; k++) {
      close_to(water_pair(&waters[m], term[k], away[0], 0).u, parts[m][k], 6e-9);
      close_to(water_pair(&waters[m], WATER_TERMS, away[k], 0).u, total[m][k], 6e-9);
    }
}

static void test_water_forces(void **state)
{
  static const double away[3] = {2.9, 0.3, -0.4};
  static const double f[3] = {2.186899, 0.973836, -0.930692};
  static const double ti[3] = {1.455441, -0.154086, -1.634225};
  static const double tj[3] = {-1.565768, -1.670163, -0.533830};
  (void)state;
  struct result i = water_pair(&waters[0], WATER_TERMS, away, 0);
  struct result j = water_pair(&waters[0], WATER_TERMS, away, 1);
  for (int k = 0; k < 3; k++) {
    close_to(j.f[k], f[k], 6e-7);
    close_to(i.f[k], -f[k], 6e-7);
    close_to(i.t[k], ti[k], 6e-7);
    close_to(j.t[k], tj[k], 6e-7);
  }
}

static struct result ellipsoids(double kappa, double kappa_prime, int mu, int nu, const double r[3],
                                const double ui[3], const double uj[3])
{
  const struct pair_gb_body body = {1, kappa, kappa_prime, 1};
  const double axis_i[2][3] = {{0, 0, 0}, {ui[0], ui[1], ui[2]}};
  const double axis_j[2][3] = {{0, 0, 0}, {uj[0], uj[1], uj[2]}};
  const double in_cutoffs[3] = {r[0] / far, r[1] / far, r[2] / far};
  struct pair_coef c;
  memset(&c, 0, sizeof c);
  pair_gb_set(&c.gb, &body, &body, 1 / far, 1, mu);
  return evaluate(PAIR_BIT(gb), constants_of(mu, nu), c, in_cutoffs, bead_of(axis_i, 1),
                  bead_of(axis_j, 1), far);
}

/* The deepest point along x of two bodies at a distance. */
static void well(double kappa, double kappa_prime, int mu, int nu, const double ui[3],
                 const double uj[3], double *depth, double *at)
{
  *depth = 0;
  for (double d = 0.9; d < 6; d += 1e-5) {
    const double r[3] = {d, 0, 0};
    double u = ellipsoids(kappa, kappa_prime, mu, nu, r, ui, uj).u;
    if (u < *depth) {
      *depth = u;
      *at = d;
    }
  }
}

static void test_ellipsoid_wells(void **state)
{
  static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  static const struct {
    double kappa, kappa_prime;
    int mu, nu;
    double well[4][2]; /* depth, distance: side by side, end to end, crossed, T */
  } rows[] = {
      {3, 5, 2, 1, {{-1.666667, 1.1225}, {-0.333333, 3.1225}, {-1, 1.1225}, {-0.381966, 2.3585}}},
      {4.4,
       20,
       1,
       1,
       {{-2.313636, 1.1225}, {-0.115682, 4.5225}, {-1, 1.1225}, {-0.095238, 3.3131}}}};
  const double *pose[4][2] = {{z, z}, {x, x}, {y, z}, {x, z}};
  (void)state;
  for (int k = 0; k < 2; k++)
    for (int p = 0; p < 4; p++) {
      double depth, at = 0;
      well(rows[k].kappa, rows[k].kappa_prime, rows[k].mu, rows[k].nu, pose[p][0], pose[p][1],
           &depth, &at);
      close_to(depth, rows[k].well[p][0], 6e-7);
      close_to(at, rows[k].well[p][1], 6e-5);
    }
}

static void test_ellipsoids_askew(void **state)
{
  static const double ui[3] = {0.6, 0, 0.8}, uj[3] = {0, -0.28, 0.96};
  static const double r[2][3] = {{-0.7, 1.5, 2.0}, {2.1, 0.3, -0.5}};
  static const double f[2][3] = {{-0.311626, -0.007385, 0.085613}, {-0.500826, 0.046380, 0.155224}};
  (void)state;
  close_to(ellipsoids(3, 5, 2, 1, r[0], ui, uj).u, -0.0177549043, 6e-11);
  close_to(ellipsoids(4.4, 20, 1, 1, r[0], ui, uj).u, -0.0202229783, 6e-11);
  struct result a = ellipsoids(3, 5, 2, 1, r[1], ui, uj),
                b = ellipsoids(4.4, 20, 1, 1, r[1], ui, uj);
  close_to(a.u, -0.1008260615, 6e-11);
  close_to(b.u, -0.1426833003, 6e-11);
  for (int k = 0; k < 3; k++) {
    close_to(a.f[k], f[0][k], 6e-7);
    close_to(b.f[k], f[1][k], 6e-7);
  }
}

/* Nearer than where the form of Gay and Berne turns back, bodies repel each other ever more. */
static void test_ellipsoids_overlapping(void **state)
{
  static const double x[3] = {1, 0, 0}, z[3] = {0, 0, 1};
  double last = 1e30;
  (void)state;
  for (double d = 0.01; d < 3.3; d += 0.01) {
    const double r[3] = {d, 0, 0};
    double u = ellipsoids(4.4, 20, 1, 1, r, x, z).u;
    assert_true(u < last);
    last = u;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_water_energies),         cmocka_unit_test(test_water_forces),
      cmocka_unit_test(test_ellipsoid_wells),        cmocka_unit_test(test_ellipsoids_askew),
      cmocka_unit_test(test_ellipsoids_overlapping),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
