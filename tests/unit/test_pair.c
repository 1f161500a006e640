/* Every pair term in double, over the whole list of terms and random geometries: force and torque
   are minus the slopes of the energy, both beads agree, angular momentum is conserved, smooth terms
   are exactly 0 outside the cutoff in float too (test_pair_float.c is this file without
   REAL_DOUBLE). And against published numbers: models from the literature without a cutoff. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/units.h"
#include "pair/pair.h"
#include "pair/pair_lj.h"
#include "pair/pair_modifier.h"
#include "tests/support/unit.h"

struct term_info {
  const char *name;
  unsigned bit;
  int smooth, axes;
};

static const struct term_info terms[] = {
#define TERM(geometry, name, channel, family, charges, smooth, call)                               \
  {#name, PAIR_BIT(name), smooth, PAIR_AXES_##geometry},
#include "pair/pair_list.h"
#undef TERM
};

struct pose {
  double u[3], x[3], q; /* x: of terms that read all axes, at a right angle to u */
};

static double counter;

static double uniform(void)
{
  double out[4];
  rng_uniform(7, (uint64_t)(counter += 1), 1, RNG_BUILD, out);
  return 2 * out[0] - 1;
}

static void random_direction(double u[3])
{
  double n2;
  do {
    for (int k = 0; k < 3; k++)
      u[k] = uniform();
    n2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  } while (n2 > 1 || n2 < 0.01);
  for (int k = 0; k < 3; k++)
    u[k] /= sqrt(n2);
}

static struct vec3 vec(const double v[3])
{
  return vec3_make(R(v[0]), R(v[1]), R(v[2]));
}

/* Lengths of the axes of the two beads. */
static const double lengths[2] = {0.7, 1.3};

/* What modified Lennard-Jones switches: 1 the potential, 0 the force. */
static int potential_switch;

/* Of soft cores at some lambda. */
static struct pair_coupling soft_lj, soft_charge;

/* weight 1 - lambda, beta 0.5 lambda^2 or 0.7 lambda. */
static void couple(double lambda)
{
  soft_lj = (struct pair_coupling){R(1 - lambda), R(cbrt(0.5 * lambda * lambda)), R(-1), R(lambda)};
  soft_charge = (struct pair_coupling){R(1 - lambda), R(cbrt(0.7 * lambda)), R(-1), R(0.7)};
}

static struct pair_constants constants(unsigned bit)
{
  const double from = 0.6;
  /* A table from 0.2 on: U = 1 - s + s^2 / 4 + s^3 / 16 with s = (r - 0.2) / 0.4. */
  static const struct pair_piece piece[] = {{{R(1), R(-1), R(0.25), R(0.0625)}},
                                            {{R(0.3125), R(-0.3125), R(0.4375), R(0.0625)}}};
  struct pair_constants k = {.switch_from = R(from),
                             .switch_factor = R(pow(1 - from, -3)),
                             .field = R(0.9),
                             .dipoles = R(1.7),
                             .gb_mu = 3,
                             .gb_nu = 2,
                             .charges = R(0.4),
                             .charge_field = R(bit == PAIR_BIT(qq_modified) ? 0 : 0.43),
                             .piece = piece};
  k.soft_lj = soft_lj;
  k.soft_charge = soft_charge;
  const double end = potential_switch ? 0.95 : 1;
  pair_modifier_set(&k.lj_end, from, end, potential_switch);
  pair_modifier_set(&k.charge_end, 0.2, 1, 0);
  k.charge = pair_power_switched(1, 0.2, 1, 1);
  if (potential_switch) return k;
  k.lj12 = pair_power_switched(12, from, end, 1.0 / 12);
  k.lj6 = pair_power_switched(6, from, end, -1.0 / 6);
  return k;
}

/* 1: types without an interaction. */
static int nothing;

/* Of the first bead with the second, or, swapped, of the second with the first. */
static struct pair_coef coefficients(int swapped)
{
  const double depth = nothing ? 0 : 0.9, v0[2] = {nothing ? 0 : 1.3, nothing ? 0 : 0.8},
               on[2] = {0.4, 0.5}, end[2] = {0.9, 1};
  const struct pair_gb_body body[2] = {{0.2, 2.5, 5, 1 / lengths[0]},
                                       {0.3, 0.6, 0.7, 1 / lengths[1]}};
  struct pair_coef c;
  memset(&c, 0, sizeof c);
  pair_lj_set(&c.lj, depth, 0.38);
  pair_sticky_set(&c.sticky, v0, 0.07, on, end, body[swapped].unit, body[!swapped].unit);
  pair_shape_set(&c.shape, 1, 1);
  pair_tabulated_set(&c.tabulated, 0, 2, 0.2, 0.4);
  pair_gb_set(&c.gb, &body[swapped], &body[!swapped], 0.29, 1.1, 3);
  pair_soft_set(&c.soft, depth, 0.38, 0.41, nothing ? 0 : 0.7);
  return c;
}

static struct pair_bead bead(const struct pose *a)
{
  struct pair_bead b;
  b.u = vec(a->u);
  b.x = vec(a->x);
  b.y = vec3_cross(b.u, b.x);
  b.q = R(a->q);
  return b;
}

struct result {
  double u, f[3], t[3], slope; /* slope: by lambda */
};

static struct result evaluate_of(unsigned bit, const double r[3], struct pose i, struct pose j,
                                 int swapped)
{
  const int axes = bit & PAIR_BODY_TERMS ? 2 : 1;
  struct pair_bead a = bead(&i), b = bead(&j);
  struct pair_arg p = pair_arguments(vec(r), a, b, 0, bit);
  struct pair_value v = pair_evaluate(bit, constants(bit), coefficients(swapped), p);
  struct pair_sum s = pair_gather(pair_none(), v.slope, vec(r), b, axes);
  struct vec3 f = pair_force(s, a, axes), t = pair_torque(s, a, axes);
  struct result out = {
      0, {(double)f.x, (double)f.y, (double)f.z}, {(double)t.x, (double)t.y, (double)t.z}, 0};
  for (int k = 0; k < ENERGIES_OF_POTENTIAL; k++)
    out.u += (double)v.energy[k];
  for (int k = ENERGIES_OF_POTENTIAL; k < ENERGIES; k++)
    out.slope += (double)v.energy[k];
  return out;
}

static struct result evaluate(unsigned bit, const double r[3], struct pose i, struct pose j)
{
  return evaluate_of(bit, r, i, j, 0);
}

/* An axis x of length 1 at a right angle to u. */
static void random_second(struct pose *a)
{
  double v[3], along = 0, n2 = 0;
  do {
    random_direction(v);
    along = v[0] * a->u[0] + v[1] * a->u[1] + v[2] * a->u[2];
  } while (fabs(along) > 0.9);
  for (int k = 0; k < 3; k++) {
    a->x[k] = v[k] - along * a->u[k];
    n2 += a->x[k] * a->x[k];
  }
  for (int k = 0; k < 3; k++)
    a->x[k] /= sqrt(n2);
}

static void random_pair(double low, double high, double r[3], struct pose *i, struct pose *j)
{
  double d = low + (high - low) * 0.5 * (1 + uniform());
  random_direction(r);
  for (int k = 0; k < 3; k++)
    r[k] *= d;
  random_direction(i->u);
  random_direction(j->u);
  random_second(i);
  random_second(j);
  i->q = uniform();
  j->q = uniform();
  for (int k = 0; k < 3; k++) {
    i->u[k] *= lengths[0];
    j->u[k] *= lengths[1];
  }
}

#ifdef REAL_DOUBLE
static void cross(const double a[3], const double b[3], double out[3])
{
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Turned about laboratory axis k by a small angle, to second order exactly as long. */
static struct pose turned(struct pose a, int k, double h)
{
  struct pose b = a;
  int x = (k + 1) % 3, y = (k + 2) % 3;
  b.u[x] = cos(h) * a.u[x] - sin(h) * a.u[y];
  b.u[y] = sin(h) * a.u[x] + cos(h) * a.u[y];
  b.x[x] = cos(h) * a.x[x] - sin(h) * a.x[y];
  b.x[y] = sin(h) * a.x[x] + cos(h) * a.x[y];
  return b;
}

static void slopes_one(const struct term_info *t, double *size)
{
  const double h = 1e-6;
  double r[3], a[3];
  struct pose i, j;
  random_pair(0.3, 0.99, r, &i, &j);
  struct result v = evaluate(t->bit, r, i, j);
  double scale = 1 + fabs(v.f[0]) + fabs(v.f[1]) + fabs(v.f[2]);
  for (int k = 0; k < 3; k++) {
    memcpy(a, r, sizeof a);
    a[k] = r[k] + h;
    double up = evaluate(t->bit, a, i, j).u;
    a[k] = r[k] - h;
    double down = evaluate(t->bit, a, i, j).u;
    assert_true(fabs(v.f[k] + (up - down) / (2 * h)) < 1e-7 * scale);
    up = evaluate(t->bit, r, turned(i, k, h), j).u;
    down = evaluate(t->bit, r, turned(i, k, -h), j).u;
    assert_true(fabs(v.t[k] + (up - down) / (2 * h)) < 1e-7 * scale);
  }
  *size += fabs(v.f[0]);
}

static void test_slopes(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++) {
    double size = 0;
    for (int trial = 0; trial < 200; trial++)
      slopes_one(&terms[k], &size);
    assert_true(size > 0.1);
  }
}

/* Of soft cores by lambda, also of beads on top of each other; others have none. */
static void test_lambda(void **state)
{
  (void)state;
  const double h = 1e-6;
  for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++) {
    const int soft = (terms[k].bit & (PAIR_BIT(soft_lj) | PAIR_BIT(soft_qq))) != 0;
    double size = 0;
    for (int trial = 0; trial < 200; trial++) {
      const double lambda = 0.5 + 0.49 * uniform();
      double r[3];
      struct pose i, j;
      random_pair(soft ? 0 : 0.3, 0.99, r, &i, &j);
      couple(lambda + h);
      const double up = evaluate(terms[k].bit, r, i, j).u;
      couple(lambda - h);
      const double down = evaluate(terms[k].bit, r, i, j).u;
      couple(lambda);
      const double slope = evaluate(terms[k].bit, r, i, j).slope;
      assert_true(fabs(slope - (up - down) / (2 * h)) < 1e-7 * (1 + fabs(slope)));
      size += fabs(slope);
    }
    assert_true(soft ? size > 1 : size == 0);
  }
}

static void test_symmetry(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++)
    for (int trial = 0; trial < 200; trial++) {
      double r[3], back[3], spin[3];
      struct pose i, j;
      random_pair(0.3, 0.99, r, &i, &j);
      for (int m = 0; m < 3; m++)
        back[m] = -r[m];
      struct result v = evaluate(terms[k].bit, r, i, j),
                    w = evaluate_of(terms[k].bit, back, j, i, 1);
      cross(r, v.f, spin);
      double scale = 1 + fabs(v.u) + fabs(v.f[0]) + fabs(v.f[1]) + fabs(v.f[2]);
      assert_true(fabs(v.u - w.u) < 1e-12 * scale);
      for (int m = 0; m < 3; m++) {
        assert_true(fabs(v.f[m] + w.f[m]) < 1e-11 * scale);
        assert_true(fabs(spin[m] + v.t[m] + w.t[m]) < 1e-11 * scale);
      }
    }
}

/* Values of an independent evaluator of soft sticky dipole water without its sticky part, for the
   SSD row of OpenMD's Water.frc, kcal/mol and A: no cutoff, so ours is put so far
   away that the shift is below the last printed digit. */
static void test_published_dipoles(void **state)
{
  (void)state;
  const double far = 1e5, mu = 2.35 * 0.20819434, coulomb = 332.06371;
  double scale = pair_dipole_scale(coulomb, far) * mu;
  const double r[3] = {-2.9 / far, -0.3 / far, 0.4 / far};
  struct pose i = {{0, -scale, 0}, {0}, 0},
              j = {{-0.48 * scale, -0.64 * scale, 0.6 * scale}, {0}, 0};
  struct result v = evaluate(PAIR_BIT(dd), r, i, j);
  assert_true(fabs(v.u - 1.40492756) < 1e-7);
}
#endif

/* What lies outside the cutoff adds exactly nothing, so that lists may hold it. */
static void test_zero_outside(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++)
    for (int trial = 0; trial < 1000; trial++) {
      double r[3];
      struct pose i, j;
      random_pair(1.0001, 2, r, &i, &j);
      struct result v = evaluate(terms[k].bit, r, i, j);
      assert_true(v.u == 0);
      for (int m = 0; m < 3; m++)
        assert_true(v.f[m] == 0 && v.t[m] == 0);
    }
}

/* Beads without an interaction have none at any distance, of cores that are soft or not. Those of
   tables and of Gay-Berne have no such types. */
static void test_zero_without_interaction(void **state)
{
  (void)state;
  const struct pose none = {{0, 0, 0}, {0, 0, 0}, 0};
  nothing = 1;
  for (int soft = 0; soft < 2; soft++) {
    couple(soft ? 0.3 : 0);
    for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++)
      for (double far = 1e-10; far < 2; far *= 1.1) {
        const double r[3] = {0.6 * far, 0, -0.8 * far};
        if (terms[k].bit & (PAIR_BIT(tabulated) | PAIR_BIT(gb))) continue;
        const struct result v = evaluate(terms[k].bit, r, none, none);
        assert_true(v.u == 0 && v.slope == 0);
        for (int m = 0; m < 3; m++)
          assert_true(v.f[m] == 0 && v.t[m] == 0);
      }
  }
  nothing = 0;
  couple(0.3);
}

#ifndef REAL_DOUBLE
/* Kernels of GPUs in float do not tell a bead from its partners where terms read no axes. */
static void test_nothing_on_itself(void **state)
{
  (void)state;
  const double r[3] = {0, 0, 0};
  for (int soft = 0; soft < 2; soft++) {
    couple(soft ? 0.3 : 0);
    for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++) {
      double away[3];
      struct pose i, j;
      random_pair(0.3, 0.9, away, &i, &j);
      for (int m = 0; m < 3 && pair_set_axes(terms[k].bit) == 0; m++)
        assert_true(evaluate(terms[k].bit, r, i, i).f[m] == 0);
    }
  }
  couple(0.3);
}
#endif

/* Smooth terms join 0: at the cutoff force and energy fall below any jump. */
static void test_smooth_at_cutoff(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++) {
    double largest = 0;
    for (int trial = 0; trial < 100; trial++) {
      double r[3];
      struct pose i, j;
      random_pair(0.99999, 0.999995, r, &i, &j);
      struct result v = evaluate(terms[k].bit, r, i, j);
      for (int m = 0; m < 3; m++)
        largest = fmax(largest, fabs(v.f[m]));
    }
    if (terms[k].smooth)
      assert_true(largest < 2e-3);
    else
      assert_true(largest > 2e-3);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
#ifdef REAL_DOUBLE
      cmocka_unit_test(test_slopes),
      cmocka_unit_test(test_lambda),
      cmocka_unit_test(test_symmetry),
      cmocka_unit_test(test_published_dipoles),
#else
      cmocka_unit_test(test_nothing_on_itself),
#endif
      cmocka_unit_test(test_zero_outside),
      cmocka_unit_test(test_smooth_at_cutoff),
      cmocka_unit_test(test_zero_without_interaction),
  };
  int failed = 0;
  couple(0.3);
  for (; potential_switch < 2; potential_switch++)
    failed += cmocka_run_group_tests(tests, NULL, NULL);
  return failed;
}
