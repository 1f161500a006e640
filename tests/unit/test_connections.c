/* What connects the beads of a molecule: bonds of every form, and virtual sites. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/forcefield_file.h"
#include "model/connections.h"
#include "tests/support/unit.h"

static const char field[] =
    "format: 1\nname: t\ncutoff: 1\nexclude: [1-2]\ntypes: {A: {mass: 72, inertia: [1, 1, 0], "
    "dipole: 0.1}, S: {mass: 0}}\n"
    "pair: {lj: {truncation: cut, mixing: geometric}, electrostatics: {truncation: none}, table: "
    "[[A, A, {epsilon: 1, sigma: 0.3}], [S, S, {epsilon: 1, sigma: 0.3}]]}\n"
    "bonds:\n"
    "  h: {form: harmonic, k: 1, r0: 0.3}\n  q: {form: quartic, k: 1, r0: 0.3}\n"
    "  f: {form: fene, k: 1, rmax: 0.6}\n  e: {form: elastic, k: 1, r0: 0.3}\n"
    "  s: {form: site_harmonic, k: 1, r0: 0.3, d0: 0.1}\n  p: {form: coulomb, qq: 1, epsilon_r: "
    "1}\n"
    "angles: {a: {form: harmonic, k: 1, theta0: 120}}\n"
    "molecules:\n"
    "  CHAIN: {beads: [A, A, A, A, A, A], bonds: [[h, 1, 2], [q, 3, 2], [f, 3, 4], [e, 4, 5], [e, "
    "1, "
    "2], [s, 6, 5], [p, 1, 6]], angles: [[a, 1, 2, 3]]}\n"
    "  STIFF: {beads: [A, A, A], constraints: [[1, 2, 0.3], [3, 2, 0.3, no_exclusions]]}\n"
    /* The site connects two pairs of beads, and the second site has a bond to the first. */
    "  PAIRS: {beads: [S, A, A, A, A, S], bonds: [[h, 2, 3], [h, 4, 5], [h, 1, 6]], sites: [{bead: "
    "1, form: centre, from: [3, 2, 4, 5], weights: [1, 1, 1, 1]}, {bead: 6, form: linear, from: "
    "[4, 5], a: 0.5}]}\n"
    /* An angle alone. */
    "  LOOSE: {beads: [A, A, A], angles: [[a, 1, 2, 3]]}\n"
    /* A site on a site. */
    "  TOWER: {beads: [A, A, S, S], bonds: [[h, 1, 2]], sites: [{bead: 4, form: linear, from: [3, "
    "1], a: 2}, {bead: 3, form: linear, from: [2, 1], a: 2}]}\n";

/* Of each molecule its beads' partners, beads from 1. */
static const struct {
  const char *molecule;
  int partner[6][4];
  enum connected by;
} expected[] = {
    {"LOOSE", {{0}}, BY_BONDS},
    {"LOOSE", {{2, 3}, {1, 3}, {1, 2}}, BY_TERMS},
    {"CHAIN", {{2, 3, 6}, {1, 3}, {1, 2, 4}, {3, 5}, {4, 6}, {1, 5}}, BY_TERMS},
    {"CHAIN", {{2}, {1, 3}, {2, 4}, {3, 5}, {4, 6}, {5}}, BY_BONDS},
    {"STIFF", {{2}, {1, 3}, {2}}, BY_BONDS},
    {"PAIRS", {{3, 4, 6}, {3}, {1, 2}, {1, 5}, {4}, {1}}, BY_BONDS},
    {"TOWER", {{2}, {1, 3}, {2, 4}, {3}}, BY_BONDS},
};

static void partners(void **state)
{
  (void)state;
  struct forcefield *ff = forcefield_parse(field, "field");
  for (size_t m = 0; m < sizeof expected / sizeof expected[0]; m++) {
    struct topology t = {0};
    const int molecule = forcefield_molecule(ff, expected[m].molecule);
    const int env = topology_add_molecule(&t, ff, molecule);
    struct connections c = connections_of(ff, &t, expected[m].by);
    for (int b = 0; b < ff->molecule[molecule].n_beads; b++) {
      int n = 0;
      for (int k = c.start[env + b]; k < c.start[env + b + 1]; k++)
        assert_int_equal(b + 1 + c.partner[k], expected[m].partner[b][n++]);
      assert_int_equal(expected[m].partner[b][n], 0);
    }
    connections_free(&c);
    topology_free(&t);
  }
  forcefield_destroy(ff);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(partners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
