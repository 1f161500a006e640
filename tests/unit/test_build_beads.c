/* Starting configurations of ellipsoids and of water with three axes: no overlap, orientations that
   are isotropic or aligned, the density of water, and that bad specifications are named. */
#include "tests/support/built.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/rotation.h"
#include "setup/lipid.h"
#include "tests/support/death.h"

/* r - s + sigma0 of two equal ellipsoids over sigma0, s the contact distance of Gay and Berne. */
static double shifted(const double ui[3], const double uj[3], const double r[3], double sigma,
                      double kappa)
{
  double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  double chi = (kappa * kappa - 1) / (kappa * kappa + 1), a = 0, b = 0, c = 0;
  for (int d = 0; d < 3; d++) {
    a += ui[d] * r[d] / length;
    b += uj[d] * r[d] / length;
    c += ui[d] * uj[d];
  }
  double h = chi * (a * a + b * b - 2 * chi * a * b * c) / (1 - chi * chi * c * c);
  return (length - sigma / sqrt(1 - h) + sigma) / sigma;
}

static double least_shifted(const struct system *s)
{
  double least = DBL_MAX, (*u)[3] = calloc((size_t)s->n, sizeof *u);
  for (int64_t i = 0; i < s->n; i++) {
    rotation_axis(s->beads.orientation + 4 * i, u[i]);
    for (int64_t j = 0; j < i; j++) {
      double r[3];
      for (int d = 0; d < 3; d++)
        r[d] = ldexp((int32_t)((uint32_t)s->beads.position[3 * i + d] -
                               (uint32_t)s->beads.position[3 * j + d]),
                     -32) *
               s->box[d];
      least = fmin(least, shifted(u[i], u[j], r, 1, 3));
    }
  }
  free(u);
  return least;
}

/* Mean of u_a u_b - delta_ab / 3, its largest element. */
static double order(const struct system *s)
{
  double q[9] = {0}, largest = 0;
  for (int64_t k = 0; k < s->n; k++) {
    double u[3];
    rotation_axis(s->beads.orientation + 4 * k, u);
    for (int e = 0; e < 9; e++)
      q[e] += (u[e / 3] * u[e % 3] - (e % 4 == 0) / 3.) / (double)s->n;
  }
  for (int e = 0; e < 9; e++)
    largest = fmax(largest, fabs(q[e]));
  return largest;
}

static void random_ellipsoids_keep_apart(void **state)
{
  (void)state;
  const char *const texts[] = {
      "{forcefield: gb, lattice: {type: fcc, cells: [6, 6, 6], density: 0.3}}",
      "{forcefield: gb, lattice: {type: bcc, cells: [7, 6, 8], density: 0.25}}",
      "{forcefield: gb, lattice: {type: sc, cells: [9, 9, 9], density: 0.02, orientation: "
      "random}}"};
  const double density[] = {0.3, 0.25, 0.02};
  for (int k = 0; k < 3; k++) {
    struct system *s = build_blocks(texts[k], 1);
    assert_true(fabs((double)s->n / (s->box[0] * s->box[1] * s->box[2]) / density[k] - 1) < 1e-12);
    assert_true(least_shifted(s) >= 0.9 - 1e-9);
    assert_true(order(s) < 0.06);
    destroy(s);
  }
  assert_same_on_ranks("{forcefield: gb, lattice: {type: fcc, cells: [3, 4, 5], density: 0.28}}");
}

/* Cells are three times as long along the axis of the bodies. */
static void aligned_ellipsoids_are_stretched(void **state)
{
  (void)state;
  static const char *const name[] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; axis++) {
    char text[128];
    snprintf(text, sizeof text,
             "{forcefield: gb, lattice: {type: fcc, cells: [4, 4, 4], density: 0.4, orientation: "
             "aligned, axis: %s}}",
             name[axis]);
    struct system *s = build_blocks(text, 2);
    double edge = cbrt(4 / 0.4 / 3);
    for (int d = 0; d < 3; d++)
      assert_true(fabs(s->box[d] - 4 * edge * (d == axis ? 3 : 1)) < 1e-12);
    for (int64_t k = 0; k < s->n; k++) {
      double u[3];
      rotation_axis(s->beads.orientation + 4 * k, u);
      assert_true(fabs(u[axis] - 1) < 1e-14);
    }
    assert_true(least_shifted(s) >= 0.9);
    destroy(s);
  }
}

/* Aligned spheres with a dipole: the lattice itself stays as it is. */
static void aligned_dipoles(void **state)
{
  (void)state;
  struct system *s =
      build_blocks("{forcefield: ssd, lattice: {type: sc, cells: [4, 4, 5], density: "
                   "33, orientation: aligned}}",
                   1);
  assert_true(fabs(s->box[0] / cbrt(1 / 33.) - 4) < 1e-14);
  assert_true(fabs(s->box[2] / cbrt(1 / 33.) - 5) < 1e-14);
  for (int64_t k = 0; k < s->n; k++)
    assert_true(s->beads.orientation[4 * k] == 1);
  destroy(s);
}

static void water_of_three_axes(void **state)
{
  (void)state;
  static const char *const models[] = {"ssd", "ssd1", "ssde", "ssdrf", "brahms"};
  for (int k = 0; k < 5; k++) {
    char text[128];
    snprintf(text, sizeof text, "{forcefield: %s, water: {count: 1000, density: 997}}", models[k]);
    struct system *s = build_blocks(text, 1);
    assert_string_equal(s->ff->molecule[s->beads.molecule_type[0]].name, "WATER");
    /* 997 kg/m3 of H2O, 18.0153 amu, are 33.33 per nm3. */
    assert_true(fabs(1000 / (s->box[0] * s->box[1] * s->box[2]) - 33.3279) < 1e-3);
    assert_true(order(s) < 0.06);
    destroy(s);
  }
  struct system *s = build_blocks("{forcefield: brahms, bilayer: {upper: {DOPC: 16}, lower: {DOPE: "
                                  "16}, area_per_lipid: 0.7, water_per_lipid: 30}}",
                                  1);
  assert_int_equal(s->n, 32 * 15 + 960);
  assert_string_equal(s->ff->molecule[s->beads.molecule_type[s->n - 1]].name, "WATER");
  destroy(s);
}

static const char rods[] = "format: 1\nname: rods\ncutoff: 3\nexclude: [1-2]\ntypes:\n"
                           "  H: {mass: 1}\n"
                           "  R: {mass: 1, inertia: [1, 1, 0], shape: {kappa: 2, kappa_prime: 4}}\n"
                           "pair:\n  lj: {truncation: cut, mixing: lorentz_berthelot}\n"
                           "  electrostatics: {truncation: none}\n  gay_berne: {mu: 1, nu: 1}\n"
                           "  table: [[H, H, {epsilon: 1, sigma: 0.5}], [R, R, {epsilon: 1, sigma: "
                           "0.4}]]\nbonds: {B: {form: harmonic, k: 100, r0: 0.7}}\n"
                           "molecules: {L: {beads: [H, R, R], bonds: [[B, 1, 2], [B, 2, 3]]}}\n";

/* Long axes lie along the bonds of the chain. */
static void ellipsoids_of_a_lipid(void **state)
{
  (void)state;
  char path[] = "/tmp/lamella_test_rods_XXXXXX", text[256];
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, rods, strlen(rods)) == (ssize_t)strlen(rods));
  close(file);
  snprintf(text, sizeof text,
           "{forcefield: %s, bilayer: {upper: {L: 9}, lower: {L: 9}, area_per_lipid: 0.4, "
           "water_per_lipid: 0}}",
           path);
  struct system *s = build_blocks(text, 1);
  struct lipid l;
  lipid_set(&l, s->ff, 0, 0.4);
  assert_true(fabs(l.volume - 0.88 * (0.125 + 2 * 2 * 0.064)) < 1e-12);
  lipid_free(&l);
  for (int64_t k = 0; k < s->n; k++) {
    double u[3], up = k < 27 ? 1 : -1;
    if (s->ff->type[s->beads.type[k]].kappa == 0) continue;
    rotation_axis(s->beads.orientation + 4 * k, u);
    assert_true(up * u[2] < -0.99);
  }
  unlink(path);
  destroy(s);
}

static void mistakes_are_named(void **state)
{
  (void)state;
  static const char *const bad[][2] = {
      {"forcefield: gb\nwater: {count: 5}", ":2: water: 'R' is an ellipsoid, no water"},
      {"forcefield: gb\nlattice: {type: sc, cells: [5, 5, 5],\n  density: 0.1, axis: x}",
       ":3: lattice.axis: only with orientation: aligned"},
      {"forcefield: gb\nlattice: {type: sc, cells: [5, 5, 5], density: 0.1, orientation: up}",
       "'up' is none of random|aligned"},
      {"forcefield: lj\nlattice: {type: sc, cells: [5, 5, 5], density: 0.1, orientation: aligned}",
       ":2: lattice.orientation: 'A' has no moment of inertia"},
      {"forcefield: ssd\nlattice: {type: sc, cells: [5, 5, 5], density: 33, molecule: W}",
       "force field ssd has no molecule 'W'"}};
  static const char *const overlap[][2] = {
      {"forcefield: gb\nlattice: {type: sc, cells: [5, 5, 5], density: 1e6}\n", "tried; about 0.3"},
      {"forcefield: gb\nlattice:\n  type: fcc\n  cells: [3, 3, 3]\n  density: 0.5\n",
       ":5: lattice.density: ellipsoids R overlap at this density in all random orientations "
       "tried; about 0.3"},
      {"forcefield: gb\nlattice: {type: fcc, cells: [4, 4, 4], orientation: aligned,\n"
       "  density: 0.6}\n",
       ":3: lattice.density: aligned ellipsoids R overlap at this density; 0.5"},
  };
  assert_mistakes(load_bad, bad, sizeof bad / sizeof *bad);
  assert_mistakes(build_bad, overlap, sizeof overlap / sizeof *overlap);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_ellipsoids_keep_apart),
      cmocka_unit_test(aligned_ellipsoids_are_stretched),
      cmocka_unit_test(aligned_dipoles),
      cmocka_unit_test(water_of_three_axes),
      cmocka_unit_test(ellipsoids_of_a_lipid),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
