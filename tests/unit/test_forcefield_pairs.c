/* What force fields say about bead models: shapes, sticky pairs, classes and ways to end at the
   cutoff. Every wrong entry is named with its line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/forcefield.h"
#include "tests/support/fuzz.h"
#include "tests/support/texts.h"

static const char mixed[] =
    "format: 1\n"                                                                        /* 1 */
    "name: mixed\n"                                                                      /* 2 */
    "cutoff: 1.2\n"                                                                      /* 3 */
    "types:\n"                                                                           /* 4 */
    "  W: {mass: 18, inertia: [0.0177, 0.00615, 0.01155], dipole: 0.05}\n"               /* 5 */
    "  R: {mass: 9, inertia: [2, 2, 0], shape: {kappa: 3, kappa_prime: 5}}\n"            /* 6 */
    "  P: {mass: 40}\n"                                                                  /* 7 */
    "pair:\n"                                                                            /* 8 */
    "  lj: {truncation: stoddard_ford, mixing: lorentz_berthelot}\n"                     /* 9 */
    "  electrostatics: {truncation: shifted_force}\n"                                    /* 10 */
    "  permittivity: 80\n"                                                               /* 11 */
    "  gay_berne: {mu: 2, nu: 1}\n"                                                      /* 12 */
    "  table:\n"                                                                         /* 13 */
    "    - [W, W, {epsilon: 0.6, sigma: 0.3}]\n"                                         /* 14 */
    "    - [R, R, {epsilon: 3, sigma: 0.3}]\n"                                           /* 15 */
    "    - [P, P, {epsilon: 4, sigma: 0.4}]\n"                                           /* 16 */
    "  sticky:\n"                                                                        /* 17 */
    "    - [W, W, {v0: 15, w0: 0.07, switch: [0.27, 0.33], switch_prime: [0.2, 0.4]}]\n" /* 18 */
    "  classes:\n"                                                                       /* 19 */
    "    - {types: [W], cutoff: 0.9, switch_from: 0.7, lj: {truncation: switch},\n"      /* 20 */
    "       electrostatics: {truncation: reaction_field}}\n"                             /* 21 */
    "    - {types: [R], with: [P], cutoff: 1.0}\n";                                      /* 22 */

static const struct ff_pair *pair_of(const struct forcefield *ff, const char *a, const char *b)
{
  return &ff->pair[forcefield_type(ff, a) * ff->n_types + forcefield_type(ff, b)];
}

static void mixed_is_read(void **state)
{
  (void)state;
  struct forcefield *ff = forcefield_parse(mixed, "mixed");
  const struct ff_treatment *t = ff->treatment;
  const struct ff_sticky *s = &pair_of(ff, "W", "W")->sticky;
  assert_int_equal(ff->n_treatments, 3);
  assert_int_equal(pair_of(ff, "W", "W")->treatment, 1);
  assert_int_equal(pair_of(ff, "W", "P")->treatment, 0);
  assert_int_equal(pair_of(ff, "P", "R")->treatment, 2);
  assert_int_equal(pair_of(ff, "R", "R")->treatment, 0);
  assert_true(t[0].cutoff == 1.2 && t[1].cutoff == 0.9 && t[2].cutoff == 1.0);
  assert_true(t[1].switch_from == 0.7 && t[1].permittivity == 80 && t[1].lj == LJ_SWITCH);
  assert_true(t[2].lj == LJ_STODDARD_FORD && t[2].electrostatics == ELECTROSTATICS_SHIFTED_FORCE);
  assert_true(s->v0 == 15 && s->v0_prime == 15 && s->w0 == 0.07);
  assert_true(s->lower == 0.27 && s->upper == 0.33);
  assert_true(s->lower_prime == 0.2 && s->upper_prime == 0.4);
  assert_true(ff->type[1].kappa == 3 && ff->type[1].kappa_prime == 5 && ff->type[0].kappa == 0);
  assert_true(ff->gb_mu == 2 && ff->gb_nu == 1);
  const double contact = pair_of(ff, "P", "R")->sigma;
  assert_true(contact * contact > 0.125 - 1e-15 && contact * contact < 0.125 + 1e-15);
  assert_true(pair_of(ff, "W", "P")->sigma == 0.35);
  forcefield_destroy(ff);
}

/* What is there, what takes its place, and what is said about it. */
static const char *const cases[][3] = {
    {"[2, 2, 0]", "[1, 1, 3]",
     "ff.yaml:6: types.R: no rigid body has the inertia [1, 1, 3]: 3 is more than the sum of the "
     "other two, 2"},
    {"[0.0177, 0.00615, 0.01155]", "[0.0177, 0.00615, 0]",
     "ff.yaml:5: types.W: inertia is [0, 0, 0], [I, I, 0] or three positive numbers"},
    {"[0.0177, 0.00615, 0.01155]", "[0.0177, 0.0177, 0]",
     "ff.yaml:18: pair.sticky[1]: type W has no three axes: a sticky term needs a dipole, which is "
     "body z, and inertia of three positive numbers"},
    {"    - [W, W, {v0", "    - [W, P, {v0",
     "ff.yaml:18: pair.sticky[1]: type P has no three axes: a sticky term needs a dipole, which is "
     "body z, and inertia of three positive numbers"},
    {"    - [W, W, {v0", "    - [W, X, {v0", "ff.yaml:18: pair.sticky[1][2]: there is no type 'X'"},
    {"v0: 15, ", "", "ff.yaml:18: pair.sticky[1][3]: 'v0' is missing"},
    {"w0: 0.07, ", "", "ff.yaml:18: pair.sticky[1][3]: 'w0' is missing"},
    {"[0.27, 0.33]", "[0.33, 0.27]",
     "ff.yaml:18: pair.sticky[1][3].switch: [0.33, 0.27]: a switching function begins before it "
     "ends, in nm"},
    {"[0.27, 0.33]", "[0.27, 1.33]",
     "ff.yaml:18: pair.sticky[1][3].switch[2]: 1.33 is more than 1.2"},
    {"[0.27, 0.33]", "[0.27]",
     "ff.yaml:18: pair.sticky[1][3].switch: 1 items, but at least 2 are needed"},
    {"v0: 15", "v1: 15", "ff.yaml:18: pair.sticky[1][3]: unknown key 'v1'; did you mean 'v0'?"},
    {", shape: {kappa: 3, kappa_prime: 5}", "",
     "ff.yaml:12: pair.gay_berne: no type has a shape: give one of them 'shape: {kappa: ..., "
     "kappa_prime: ...}'"},
    {"  gay_berne: {mu: 2, nu: 1}\n", "",
     "ff.yaml:9: pair: 'gay_berne' is missing, but type R has a shape"},
    {"mu: 2", "mu: 5", "ff.yaml:12: pair.gay_berne.mu: 5 is more than 4"},
    {"nu: 1", "nu: 0", "ff.yaml:12: pair.gay_berne.nu: 0 is less than 1"},
    {"mu: 2", "mu: 1.5", "ff.yaml:12: pair.gay_berne.mu: '1.5' is not a whole number"},
    {"mu: 2, ", "", "ff.yaml:12: pair.gay_berne: 'mu' is missing"},
    {"inertia: [2, 2, 0], ", "",
     "ff.yaml:6: types.R.shape: an ellipsoid turns: type R needs inertia [I, I, 0] or three "
     "numbers"},
    {"kappa: 3, ", "", "ff.yaml:6: types.R.shape: 'kappa' is missing"},
    {"kappa_prime: 5", "kappa_prime: 0",
     "ff.yaml:6: types.R.shape.kappa_prime: 0 is less than 0.001"},
    {"kappa: 3", "kappa: -3", "ff.yaml:6: types.R.shape.kappa: -3 is less than 0.1"},
    {"{epsilon: 3, sigma: 0.3}", "{epsilon: 3, sigma: 0.5}",
     "ff.yaml:15: pair.table[2]: an ellipsoid of type R is 1.5 nm long, more than the cutoff of "
     "1.2 nm"},
    {"switch_from: 0.7, ", "",
     "ff.yaml:20: pair.classes[1]: 'switch_from' is missing: where switching begins, in nm, "
     "below the cutoff of 0.9"},
    {"switch_from: 0.7", "switch_from: 0.9",
     "ff.yaml:20: pair.classes[1].switch_from: switching begins at 0.9 nm, not below the cutoff "
     "of 0.9 nm"},
    {"switch_from: 0.7", "switch_from: 1.1",
     "ff.yaml:20: pair.classes[1].switch_from: 1.1 is more than 0.9"},
    {"  permittivity: 80\n", "",
     "ff.yaml:19: pair.classes[1]: 'permittivity' of the reaction field is missing"},
    {"permittivity: 80", "permittivity: 0.5", "ff.yaml:11: pair.permittivity: 0.5 is less than 1"},
    {"with: [P], cutoff: 1.0", "with: [P], cutoff: 1.0, switch_from: 0.8",
     "ff.yaml:22: pair.classes[2].switch_from: no pairs here have a truncation that switches"},
    {"electrostatics: {truncation: reaction_field}", "electrostatics: {truncation: none}",
     "ff.yaml:11: pair.permittivity: no pairs here have a reaction_field, and others interact as "
     "in vacuum"},
    {"with: [P], cutoff: 1.0", "with: [P], cutoff: 1.0, permittivity: 15",
     "ff.yaml:22: pair.classes[2].permittivity: no pairs here have a reaction_field"},
    {"with: [P], cutoff: 1.0", "with: [P], cutoff: 1.0, lj: {truncation: cut}",
     "ff.yaml:22: pair.classes[2].lj: no pairs here are of Lennard-Jones"},
    {"dipole: 0.05", "dipole: 0.05, charge: 1",
     "ff.yaml:20: pair.classes[1]: the pair W W has a charge: electrostatics with switch or "
     "reaction_field are for dipoles"},
    {"electrostatics: {truncation: reaction_field}", "electrostatics: {truncation: shifted_force}",
     "ff.yaml:20: pair.classes[1]: the pair W W: electrostatics with shifted_force end at the "
     "cutoff of the force field, 1.2 nm, and not at 0.9"},
    {"electrostatics: {truncation: reaction_field}", "electrostatics: {truncation: ewald}",
     "ff.yaml:21: pair.classes[1].electrostatics.truncation: 'ewald' is none of "
     "none|shifted_force|switch|reaction_field"},
    {"electrostatics: {truncation: shifted_force}",
     "electrostatics: {truncation: charge_reaction_field}",
     "ff.yaml:10: pair.electrostatics: 'epsilon_r' is missing"},
    {"electrostatics: {truncation: shifted_force}",
     "electrostatics: {truncation: charge_reaction_field, epsilon_r: 0}",
     "ff.yaml:10: pair.electrostatics.epsilon_r: 0 is less than 0.001"},
    {"electrostatics: {truncation: shifted_force}",
     "electrostatics: {truncation: shifted_force, epsilon_rf: 1}",
     "ff.yaml:10: pair.electrostatics.epsilon_rf: epsilon_rf is for charge_reaction_field alone"},
    {"electrostatics: {truncation: shifted_force}",
     "electrostatics: {truncation: charge_force_switch, epsilon_r: 15, epsilon_rf: 1}",
     "ff.yaml:10: pair.electrostatics.epsilon_rf: epsilon_rf is for charge_reaction_field alone"},
    {"electrostatics: {truncation: shifted_force}",
     "electrostatics: {truncation: shifted_force, epsilon_r: 1}",
     "ff.yaml:10: pair.electrostatics.epsilon_r: epsilon_r is for charge_reaction_field and "
     "charge_force_switch alone"},
    {"electrostatics: {truncation: shifted_force}",
     "electrostatics: {truncation: shifted_force, cutoff: 1}",
     "ff.yaml:10: pair.electrostatics.cutoff: a cutoff of its own is for Lennard-Jones with cut, "
     "energy_shift, force_switch or potential_switch, and for charge_reaction_field and "
     "charge_force_switch"},
    {"electrostatics: {truncation: shifted_force}",
     "electrostatics: {truncation: charge_reaction_field, epsilon_r: 15, switch_from: 1}",
     "ff.yaml:10: pair.electrostatics.switch_from: 'switch_from' here is for force_switch, "
     "potential_switch and charge_force_switch"},
    {"electrostatics: {truncation: shifted_force}",
     "electrostatics: {truncation: charge_force_switch, epsilon_r: 15, switch_from: 1.2}",
     "ff.yaml:10: pair.electrostatics: switching begins at 1.2 nm, not below the cutoff of 1.2 "
     "nm"},
    {"stoddard_ford,", "force_switch,", "ff.yaml:9: pair.lj: 'switch_from' is missing"},
    {"stoddard_ford,", "potential_switch, switch_from: 0.9, cutoff: 1.3,",
     "ff.yaml:9: pair.lj.cutoff: 1.3 is more than 1.2"},
    {"stoddard_ford,", "potential_switch, switch_from: 0.9, cutoff: 0.9,",
     "ff.yaml:9: pair.lj: switching begins at 0.9 nm, not below the cutoff of 0.9 nm"},
    {"stoddard_ford,", "stoddard_ford, cutoff: 1.1,",
     "ff.yaml:9: pair.lj.cutoff: a cutoff of its own is for Lennard-Jones with cut"},
    {"stoddard_ford,", "cut, cutoff: 0.3,",
     "beads W and P touch at 0.35 nm, beyond the cutoff of "
     "0.3 nm"},
    {"electrostatics: {truncation: reaction_field}",
     "electrostatics: {truncation: charge_reaction_field, epsilon_r: 15}",
     "ff.yaml:20: pair.classes[1]: the pair W W has a dipole: electrostatics with "
     "charge_reaction_field are for charges"},
    {"electrostatics: {truncation: reaction_field}",
     "electrostatics: {truncation: charge_reaction_field, epsilon_r: 15}",
     "ff.yaml:20: pair.classes[1]: the pair W W: electrostatics with charge_reaction_field end at "
     "the cutoff of the force field, 1.2 nm, and not at 0.9"},
    {"types: [W]", "types: [X]", "ff.yaml:20: pair.classes[1].types[1]: there is no type 'X'"},
    {"types: [W], ", "", "ff.yaml:20: pair.classes[1]: 'types' is missing"},
    {"with: [P]", "with: [Y]", "ff.yaml:22: pair.classes[2].with[1]: there is no type 'Y'"},
    {"cutoff: 1.0", "cutoff: 1.3", "ff.yaml:22: pair.classes[2].cutoff: 1.3 is more than 1.2"},
    {"cutoff: 1.0", "cutof: 1.0",
     "ff.yaml:22: pair.classes[2]: unknown key 'cutof'; did you mean 'cutoff'?"},
    {"cutoff: 1.0", "cutoff: 0.3",
     "ff.yaml:22: pair.classes[2]: beads R and P touch at 0.696419 nm, beyond the cutoff of 0.3 "
     "nm"},
    {"stoddard_ford", "switch",
     "ff.yaml:9: pair: 'switch_from' is missing: where switching begins, in nm, below the cutoff "
     "of 1.2"},
    {"lj: {truncation: switch}", "lj: {truncation: switch, mixing: none}",
     "ff.yaml:20: pair.classes[1].lj: unknown key 'mixing'"},
    {"  permittivity: 80\n", "  mixing: none\n",
     "ff.yaml:11: pair.mixing: 'mixing' stands here and in 'lj'"},
    {"  lj: {truncation: stoddard_ford, mixing: lorentz_berthelot}\n", "",
     "ff.yaml:9: pair: 'lj' is missing"},
    {"  electrostatics: {truncation: shifted_force}\n", "",
     "ff.yaml:9: pair: 'electrostatics' is missing, but type W has a charge or dipole"},
    {"    - [P, P, {epsilon: 4, sigma: 0.4}]\n",
     "    - [P, P, {epsilon: 4, sigma: 0.4}]\n    - [W, R, {epsilon: 1, sigma: 0.9}]\n",
     "ff.yaml:9: pair: beads W and R touch at 2.01246 nm, beyond the cutoff of 1.2 nm"},
    {"  classes:\n",
     "    - [W, W, {v0: 1, w0: 0, switch: [0.2, 0.3], switch_prime: [0.2, 0.3]}]\n  classes:\n",
     "ff.yaml:19: pair.sticky[2]: the sticky pair W W stands here for the second time"},
    {"v0: 15,", "v0: 0,", "ff.yaml:18: pair.sticky[1][3]: v0 and v0_prime are both 0"},
    {"{types: [R], with: [P]", "{types: [W, P]",
     "ff.yaml:22: pair.classes[2]: the pair W W is in another class already (number 1)"},
};

static void wrong_entries(void **state)
{
  (void)state;
  assert_refused(mixed, cases, sizeof cases / sizeof cases[0]);
}

static void damaged_files(void **state)
{
  (void)state;
  assert_int_equal(fuzz_failures(parse_text, mixed, 1000), 0);
}

/* The permittivity of all pairs of charges; 0 where they differ. Types without charges do not
 * count.
 */
static void one_permittivity(void **state)
{
  static const char text[] =
      "format: 1\nname: ions\ncutoff: 1.2\ntypes: {W: {mass: 9}, P: {mass: 9, charge: 1}, N: "
      "{mass: "
      "9, charge: -1}}\npair:\n  lj: {truncation: cut, mixing: lorentz_berthelot}\n"
      "  electrostatics: {truncation: %s}\n  table: [[W, W, {epsilon: 1, sigma: 0.4}], [P, P, "
      "{epsilon: 1, sigma: 0.4}], [N, N, {epsilon: 1, sigma: 0.4}]]\n"
      "  classes: [{types: [%s], electrostatics: {truncation: charge_reaction_field, epsilon_r: "
      "%s}}]\n";
  static const struct {
    const char *all, *types, *epsilon_r;
    double wanted;
  } one[] = {{"charge_reaction_field, epsilon_r: 15", "P", "15", 15},
             {"charge_reaction_field, epsilon_r: 15", "P", "2", 0},
             {"charge_reaction_field, epsilon_r: 15", "W", "2", 15},
             {"shifted_force", "P, N", "2.5", 2.5},
             {"shifted_force", "P", "2.5", 0},
             {"shifted_force", "W", "2.5", 1}};
  (void)state;
  for (size_t k = 0; k < sizeof one / sizeof one[0]; k++) {
    char all[1024];
    snprintf(all, sizeof all, text, one[k].all, one[k].types, one[k].epsilon_r);
    struct forcefield *ff = forcefield_parse(all, "ff.yaml");
    if (forcefield_epsilon_r(ff) != one[k].wanted) fail_msg("case %zu", k);
    forcefield_destroy(ff);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mixed_is_read), cmocka_unit_test(wrong_entries),
      cmocka_unit_test(one_permittivity), cmocka_unit_test(damaged_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
