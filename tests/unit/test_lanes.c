/* How many threads a bead has in the lists and kernels of the cuda backend: a kernel exists for
   each choice, and the limits are where the documents say. Needs no GPU. */
#include <math.h>

#include "cuda/runtime/lanes.h"
#include "input/forcefield_file.h"
#include "pair/pair_pass.h"
#include "pair/pair_sets.h"
#include "tests/support/unit.h"

static const double cutoffs[] = {0.1, 0.74, 0.76, 1.2, HUGE_VAL}, sigmas[] = {0, 0.27, 1, HUGE_VAL};
static const int64_t sizes[] = {1, 49999, 50000, 99999, 100000, 1000000000};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void check(unsigned set, int wide)
{
  for (size_t c = 0; c < COUNT(cutoffs); c++)
    for (size_t s = 0; s < COUNT(sigmas); s++)
      for (size_t n = 0; n < COUNT(sizes); n++) {
        const int lanes = lanes_of_list(set, cutoffs[c], sigmas[s], sizes[n], wide);
        assert_true(lanes == 2 || lanes == 4 || lanes == 8);
        assert_true((LANES_OF_SET(set, wide) & lanes) != 0);
        assert_int_equal(PARTIALS_OF(lanes, wide) * lanes, wide ? PAIR_PARTIAL_SUMS : lanes);
      }
}

static void kernels_exist(void **state)
{
  (void)state;
#define SET(name, bits)                                                                            \
  check(bits, 0);                                                                                  \
  check(bits, 1);
  PAIR_SETS(SET)
#undef SET
}

static void limits(void **state)
{
  const unsigned lj = PAIR_BIT(lj_cut), water = PAIR_BIT(lj_switch) | PAIR_BIT(dd_switch);
  (void)state;
  assert_int_equal(lanes_of_list(PAIR_BIT(sticky), 0.4, 0.3, 10, 0), 2);
  assert_int_equal(lanes_of_list(water, 0.9, 0.3, 49999, 0), 8);
  assert_int_equal(lanes_of_list(water, 0.6, 0.3, 1000000, 0), 4);
  assert_int_equal(lanes_of_list(lj, 2.5, 1, 49999, 0), 8);
  assert_int_equal(lanes_of_list(lj, 2.5, 1, 99999, 0), 4);
  const unsigned martini = PAIR_BIT(lj_energy_shift) | PAIR_BIT(qq_reaction_field);
  assert_int_equal(lanes_of_list(martini, 1.1, 0.47, 14999, 0), 8);
  assert_int_equal(lanes_of_list(martini, 1.1, 0.47, 15000, 0), 4);
  assert_int_equal(lanes_of_list(lj, 2.5, 1, 100000, 0), 2);
  assert_int_equal(lanes_of_list(lj, 2.75, 1, 100000, 0), 4);
  assert_int_equal(lanes_of_list(lj, 2.5, 1, 100000, 1), 4);
  assert_int_equal(lanes_of_list(PAIR_BIT(sticky), 0.4, 0.3, 10, 1), 4);
}

static const char text[] = "format: 1\n"
                           "name: two\n"
                           "cutoff: 1.0\n"
                           "types:\n"
                           "  A: {mass: 40}\n"
                           "  B: {mass: 40}\n"
                           "  C: {mass: 40}\n"
                           "pair:\n"
                           "  lj: {truncation: cut, mixing: lorentz_berthelot}\n"
                           "  table:\n"
                           "    - [A, A, {epsilon: 1, sigma: 0.4}]\n"
                           "    - [B, B, {epsilon: 1, sigma: 0.3}]\n"
                           "    - [C, C, {epsilon: 0, sigma: 0.1}]\n"
                           "molecules:\n"
                           "  A: {beads: [A]}\n";

/* The smallest sigma of types that are present and have an interaction. */
static void sigma_of_lists(void **state)
{
  struct forcefield *ff = forcefield_parse(text, "two");
  const char a[] = {1, 0, 1}, all[] = {1, 1, 1};
  (void)state;
  struct pair_plan plan = pair_plan_of(ff, a);
  assert_int_equal(plan.n_passes, 1);
  assert_true(plan.pass[0].sigma == 0.4);
  plan = pair_plan_of(ff, all);
  assert_true(plan.pass[0].sigma == 0.3);
  forcefield_destroy(ff);
}

/* Lists shorter than the cutoff of the force field need no wider halo, but partners of bonds do. */
static void range_of_lists(void **state)
{
  struct forcefield *ff = forcefield_parse(text, "two");
  struct topology bonds = {0};
  struct topology_term term = {.section = SECTION_bond, .beads = 2, .partner = {1, 0}};
  int start[] = {0, 1};
  (void)state;
  ff->treatment[0].cutoff = 0.7;
  const struct pair_plan plan = pair_plan_of(ff, NULL);
  assert_true(pair_range(&plan, ff, &bonds) == 0.7);
  assert_true(pair_margin(&plan, ff, &bonds, 0) == 0);
  bonds.n_envs = 1;
  bonds.term_start = start;
  bonds.term = &term;
  assert_true(pair_range(&plan, ff, &bonds) == 1.0);
  forcefield_destroy(ff);
}

/* The jump of the force at a cutoff, of the types that are present: 24 epsilon (2 s12 - s6) / rc,
   by hand for sigma of 0.4 and a cutoff of 1 nm; none where forces vanish there. */
static void force_at_the_cutoff(void **state)
{
  struct forcefield *ff = forcefield_parse(text, "two");
  const char a[] = {1, 0, 1}, c[] = {0, 0, 1};
  (void)state;
  struct pair_plan plan = pair_plan_of(ff, a);
  assert_true(fabs(pair_force_jump(&plan, ff) - 24 * (4.096e-3 - 2 * 1.6777216e-5)) < 1e-12);
  plan = pair_plan_of(ff, c);
  assert_true(pair_force_jump(&plan, ff) == 0);
  ff->treatment[0].lj = LJ_FORCE_SHIFT;
  plan = pair_plan_of(ff, a);
  assert_true(pair_force_jump(&plan, ff) == 0);
  forcefield_destroy(ff);
}

/* Lennard-Jones that ends before the cutoff of the force field, or is switched: its list ends
   there, and the jump is that of its own end. */
static void modified_ends(void **state)
{
  static const struct {
    enum lj_truncation lj;
    double end, jump;
  } one[] = {{LJ_FORCE_SWITCH, 1, 0},
             {LJ_POTENTIAL_SWITCH, 0.8, 0},
             {LJ_CUT, 0.8, 0.4541015625},
             {LJ_ENERGY_SHIFT, 0.8, 0.4541015625}};
  struct forcefield *ff = forcefield_parse(text, "two");
  const char a[] = {1, 0, 1};
  (void)state;
  for (size_t k = 0; k < COUNT(one); k++) {
    ff->treatment[0].lj = one[k].lj;
    ff->treatment[0].lj_end.cutoff = one[k].end;
    const struct pair_plan plan = pair_plan_of(ff, a);
    assert_true(plan.pass[0].set & PAIR_BIT(lj_modified));
    assert_true(plan.pass[0].cutoff == one[k].end);
    assert_true(fabs(pair_force_jump(&plan, ff) - one[k].jump) < 1e-12);
  }
  forcefield_destroy(ff);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_exist),       cmocka_unit_test(limits),
      cmocka_unit_test(sigma_of_lists),      cmocka_unit_test(range_of_lists),
      cmocka_unit_test(force_at_the_cutoff), cmocka_unit_test(modified_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
