/* Starting configurations: places, shuffles, lattices, water and bilayers, and that none of them
   depends on the number of ranks. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "input/build_spec.h"
#include "model/place.h"
#include "setup/build.h"
#include "setup/lipid.h"
#include "tests/support/built.h"
#include "tests/support/death.h"
#include "tests/support/unit.h"

static void directions(void **state)
{
  (void)state;
  const double u[][3] = {{0, 0, 1}, {0, 0, -1},      {0, 0, -2e-9},     {1e-9, 0, -1},
                         {3, 4, 0}, {-1, 1e-200, 5}, {1e-3, -2e-3, -7}, {0.3, -0.1, 0.2}};
  for (size_t k = 0; k < sizeof u / sizeof *u; k++) {
    double q[4], z[3], length = sqrt(u[k][0] * u[k][0] + u[k][1] * u[k][1] + u[k][2] * u[k][2]);
    place_orientation(u[k], q);
    assert_true(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 4 * DBL_EPSILON);
    rotation_axis(q, z);
    for (int d = 0; d < 3; d++)
      assert_true(fabs(z[d] - u[k][d] / length) < 4 * DBL_EPSILON);
    assert_true(q[3] == 0); /* the shortest rotation: about an axis in the plane */
  }
}

static void shuffles_are_permutations(void **state)
{
  (void)state;
  const int64_t counts[] = {1, 2, 3, 5, 16, 17, 1000, 4097};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    int64_t n = counts[c], fixed = 0, same = 0;
    char *met = calloc((size_t)n, 1);
    for (int64_t k = 0; k < n; k++) {
      int64_t card = place_shuffled(n, k, 42, 0);
      assert_true(card >= 0 && card < n && !met[card]);
      met[card] = 1;
      fixed += card == k;
      same += card == place_shuffled(n, k, 42, 1);
    }
    if (n >= 1000) assert_true(fixed < 20 && same < 20);
    free(met);
  }
}

/* Sites of any count: all inside, and none nearer than what an even spread allows. */
static void sites_are_even(void **state)
{
  (void)state;
  const double edge[3] = {7, 5, 3};
  for (int64_t n = 1; n < 400; n += n < 40 ? 1 : 37) {
    double nearest = DBL_MAX, (*x)[3] = calloc((size_t)n, sizeof *x);
    for (int64_t k = 0; k < n; k++) {
      place_in_slab(n, k, edge, x[k]);
      for (int d = 0; d < 3; d++)
        assert_true(x[k][d] > 0 && x[k][d] < edge[d]);
      for (int64_t j = 0; j < k; j++) {
        double r2 = 0;
        for (int d = 0; d < 3; d++) {
          double dx = x[k][d] - x[j][d];
          if (d < 2) dx -= edge[d] * round(dx / edge[d]);
          r2 += dx * dx;
        }
        nearest = fmin(nearest, sqrt(r2));
      }
    }
    assert_true(n == 1 || nearest > 0.69 * cbrt(105. / (double)n));
    free(x);
  }
}

static void lattices_are_exact(void **state)
{
  (void)state;
  struct system *s =
      build_blocks("{forcefield: lj, lattice: {type: fcc, cells: [3, 4, 5], density: 0.8442}}", 1);
  assert_int_equal(s->n, 240);
  double edge = cbrt(4 / 0.8442);
  assert_true(s->box[0] == 3 * edge && s->box[1] == 4 * edge && s->box[2] == 5 * edge);
  /* Bead 2 + 4 (1 + 3 (2 + 4 4)): second point of cell (1, 2, 4), at (1.5/3, 2.5/4, 4/5). */
  int64_t k = 1 + 4 * (1 + 3 * (2 + 4 * 4));
  assert_int_equal((uint32_t)s->beads.position[3 * k], 0x80000000u);
  assert_int_equal((uint32_t)s->beads.position[3 * k + 1], 0xA0000000u);
  assert_int_equal((uint32_t)s->beads.position[3 * k + 2], 0xCCCCCCCCu);
  assert_int_equal(s->beads.residual[3 * k + 2], 0xCCCCCCCCu);
  destroy(s);
  s = build_blocks("{forcefield: lj, lattice: {type: bcc, cells: [2, 2, 2], density: 1}}", 3);
  assert_int_equal(s->n, 16);
  assert_int_equal((uint32_t)s->beads.position[3], 0x40000000u);
  destroy(s);
  assert_same_on_ranks("{forcefield: lj, lattice: {type: sc, cells: [3, 5, 7], density: 1}}");
}

/* The smallest distance of two beads over their sigma, and partners in terms left out. */
static double closest(const struct system *s)
{
  double least = DBL_MAX;
  for (int64_t i = 0; i < s->n; i++)
    for (int64_t j = 0; j < i; j++) {
      double r2 = 0,
             sigma = s->ff->pair[s->beads.type[i] * s->ff->n_types + s->beads.type[j]].sigma;
      int excluded = 0, env = s->beads.bonded_env[i];
      for (int d = 0; d < 3; d++) {
        int32_t dx = (int32_t)((uint32_t)s->beads.position[3 * i + d] -
                               (uint32_t)s->beads.position[3 * j + d]);
        r2 += pow(ldexp(dx, -32) * s->box[d], 2);
      }
      if (env >= 0)
        for (int k = s->topology.exclude_start[env]; k < s->topology.exclude_start[env + 1]; k++)
          excluded |= s->topology.exclude[k] == j - i;
      if (!excluded) least = fmin(least, sqrt(r2) / sigma);
    }
  return least;
}

static void water_has_its_density(void **state)
{
  (void)state;
  struct system *s =
      build_blocks("{forcefield: elba, seed: 5, water: {count: 1001, density: 998}}", 2);
  assert_int_equal(s->n, 1001);
  double volume = s->box[0] * s->box[1] * s->box[2];
  assert_true(fabs(1001 * 18.0153 / 0.602214076 / volume - 998) < 1e-9);
  assert_true(closest(s) > 0.8);
  double mean[3] = {0};
  for (int64_t k = 0; k < s->n; k++) {
    double z[3];
    rotation_axis(s->beads.orientation + 4 * k, z);
    assert_int_equal(s->beads.molecule[k], k + 1);
    assert_int_equal(s->beads.bonded_env[k], -1);
    for (int d = 0; d < 3; d++)
      mean[d] += z[d] / 1001;
  }
  for (int d = 0; d < 3; d++)
    assert_true(fabs(mean[d]) < 5 / sqrt(3 * 1001.));
  destroy(s);
  assert_same_on_ranks("{forcefield: elba, seed: 5, water: {count: 333}}");
}

/* Beads of Martini stand for four molecules, by their mass; other masses say nothing. */
static void water_of_several_molecules(void **state)
{
  (void)state;
  static const struct {
    double mass, molecules;
  } bead[] = {{72, 4}, {54, 3}, {36, 2}, {18, 1}, {40, 1}, {1, 1}};
  for (size_t k = 0; k < sizeof bead / sizeof bead[0]; k++) {
    char path[] = "/tmp/lamella_test_XXXXXX", spec[120];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    dprintf(file,
            "format: 1\nname: w\ncutoff: 1.1\ntypes: {P: {mass: %g}}\n"
            "pair: {lj: {truncation: cut}, table: [[P, P, {epsilon: 5, sigma: 0.47}]]}\n"
            "molecules: {W: {beads: [P]}}\n",
            bead[k].mass);
    close(file);
    snprintf(spec, sizeof spec, "{forcefield: %s, water: {count: 500, density: 1000}}", path);
    struct system *s = build_blocks(spec, 1);
    const double volume = s->box[0] * s->box[1] * s->box[2];
    const double density = 500 * bead[k].molecules * 18.0153 / 0.602214076 / volume;
    assert_true(fabs(density - 1000) < 1e-9);
    destroy(s);
    unlink(path);
  }
}

static const char mixture[] =
    "forcefield: elba\nseed: 3\nbilayer:\n  upper: {DOPC: 30, DMPC: 9, DSPC: 2}\n"
    "  lower: {POPC: 11, DOPE: 27}\n  water_per_lipid: 20.5\n  area_per_lipid: 0.7\n";

static int64_t count_kind(const struct system *s, const char *name)
{
  int kind = forcefield_molecule(s->ff, name);
  int64_t count = 0;
  for (int64_t k = 0; k < s->n; k++)
    count += s->beads.molecule_type[k] == kind;
  return count / s->ff->molecule[kind].n_beads;
}

static void bilayer_counts(void **state)
{
  (void)state;
  struct system *s = build_blocks(mixture, 1);
  const char *const names[] = {"DOPC", "DMPC", "DSPC", "POPC", "DOPE", "W"};
  const int64_t counts[] = {30, 9, 2, 11, 27, 1620}; /* 79 lipids, 20.5 waters each */
  for (int k = 0; k < 6; k++)
    assert_int_equal(count_kind(s, names[k]), counts[k]);
  assert_true(fabs(s->box[0] * s->box[1] - 41 * 0.7) < 1e-9);
  assert_int_equal(s->beads.molecule[s->n - 1], 79 + 1620);
  assert_true(closest(s) > 0.6);
  destroy(s);
}

/* Heads outside, tails inside, water in none of it, dipoles along their restraints. */
static void bilayer_structure(void **state)
{
  (void)state;
  struct system *s = build_blocks(mixture, 1);
  int head[2] = {forcefield_type(s->ff, "C"), forcefield_type(s->ff, "A")};
  int water = forcefield_type(s->ff, "W"), tail = forcefield_type(s->ff, "T");
  double lowest_head = DBL_MAX, farthest_tail = 0, nearest_water = DBL_MAX;
  for (int64_t k = 0; k < s->n; k++) {
    double x[3];
    int type = s->beads.type[k], env = s->beads.bonded_env[k];
    system_get_position(s, k, 0, x);
    double height = fabs(x[2] - 0.5 * s->box[2]);
    if (type == water) nearest_water = fmin(nearest_water, height);
    if (type == tail) farthest_tail = fmax(farthest_tail, height);
    if (type == head[0] || type == head[1]) lowest_head = fmin(lowest_head, height);
    for (int t = env < 0 ? 0 : s->topology.term_start[env];
         env >= 0 && t < s->topology.term_start[env + 1]; t++) {
      const struct topology_term *term = &s->topology.term[t];
      if (!forcefield_form(s->ff, term->section, term->type)->axes || term->role != 0) continue;
      double to[3], z[3], dot = 0, r2 = 0;
      system_get_position(s, k, 1, x);
      system_get_position(s, k + term->partner[0], 1, to);
      rotation_axis(s->beads.orientation + 4 * k, z);
      for (int d = 0; d < 3; d++) {
        dot += z[d] * (to[d] - x[d]);
        r2 += pow(to[d] - x[d], 2);
      }
      assert_true(dot > 0.999999 * sqrt(r2));
    }
  }
  assert_true(nearest_water > farthest_tail);
  assert_true(lowest_head > farthest_tail);
  assert_true(nearest_water > lowest_head);
  destroy(s);
}

static void bilayer_sizes(void **state)
{
  (void)state;
  assert_same_on_ranks(mixture);
  const char *const texts[] = {
      "{forcefield: elba, bilayer: {upper: {DOPC: 1}, lower: {DOPC: 1}, water_per_lipid: 0, "
      "area_per_lipid: 0.72}}",
      "{forcefield: elba, bilayer: {upper: {DMPC: 1}, lower: {POPC: 2}, water_per_lipid: 5, "
      "area_per_lipid: 0.72}}",
      "{forcefield: elba, bilayer: {lower: {DOPE: 100}, water_per_lipid: 3, area_per_lipid: 0.65}}",
      "{forcefield: elba, bilayer: {upper: {DSPC: 64}, lower: {DSPC: 63}, water_per_lipid: 40, "
      "area_per_lipid: 0.55}}"};
  const int64_t beads[] = {30, 13 + 28 + 15, 1800, 127 * 55};
  for (int k = 0; k < 4; k++) {
    struct system *s = build_blocks(texts[k], 1);
    assert_int_equal(s->n, beads[k]);
    if (k >= 2) assert_true(closest(s) > 0.6);
    destroy(s);
  }
}

static void mistakes_are_named(void **state)
{
  (void)state;
  static const char *const bad[][2] = {
      {"forcefield: elba\nbilayer: {upper: {DOPX: 1}, water_per_lipid: 0, area_per_lipid: 1}",
       ":2: bilayer.upper.DOPX: force field elba has no molecule 'DOPX'"},
      {"forcefield: elba\nbilayer: {upper: {W: 1}, water_per_lipid: 0, area_per_lipid: 1}",
       "'W' is a single bead"},
      {"forcefield: elba\nwater: {count: 5, molecule: DOPC}", "'DOPC' has 15 beads"},
      {"forcefield: elba\nwater: {count: 0}", "water.count: 0 is less than 1"},
      {"forcefield: elba\nwater: {count: 5}\nlattice: {}", ":3: lattice: one of bilayer"},
      {"forcefield: elba\nreplicate: [1, 0, 1]\nwater: {count: 5}", ":2: replicate[2]: 0 is less"},
      {"forcefield: elba\nreplicate: [1, 1]\nwater: {count: 5}", ":2: replicate: 2 items"},
      {"forcefield: elba\nreplicate: [1, 1.5, 1]\nwater: {count: 5}", "1.5 is not a whole number"},
      {"forcefield: elba\nwatr: {count: 5}", "did you mean 'water'?"},
      {"water: {count: 5}", "'forcefield' is missing"},
      {"forcefield: elba\n", "what to build?"},
      {"state: a.h5\nforcefield: elba\n", "brings its own force field"},
      {"forcefield: elba\nminimise: perhaps\nwater: {count: 5}", "'perhaps' is none of no|yes"},
      {"forcefield: elba\nbilayer: {upper: {}, water_per_lipid: 1, area_per_lipid: 1}",
       "no lipids"}};
  assert_mistakes(load_bad, bad, sizeof bad / sizeof *bad);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(directions),
      cmocka_unit_test(shuffles_are_permutations),
      cmocka_unit_test(sites_are_even),
      cmocka_unit_test(lattices_are_exact),
      cmocka_unit_test(water_has_its_density),
      cmocka_unit_test(water_of_several_molecules),
      cmocka_unit_test(bilayer_counts),
      cmocka_unit_test(bilayer_structure),
      cmocka_unit_test(bilayer_sizes),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
