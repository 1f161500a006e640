/* What force fields say of molecules beside bonded terms: exclusions and restraints. Every wrong
   entry is named with its line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/forcefield.h"
#include "tests/support/fuzz.h"
#include "tests/support/texts.h"

static const char whole[] = "format: 1\n"                                         /* 1 */
                            "name: whole\n"                                       /* 2 */
                            "cutoff: 1.2\n"                                       /* 3 */
                            "types: {A: {mass: 4}}\n"                             /* 4 */
                            "pair:\n"                                             /* 5 */
                            "  lj: {truncation: cut}\n"                           /* 6 */
                            "  table: [[A, A, {epsilon: 1, sigma: 0.4}]]\n"       /* 7 */
                            "molecules:\n"                                        /* 8 */
                            "  M:\n"                                              /* 9 */
                            "    beads: [A, A, A]\n"                              /* 10 */
                            "    exclusions: [[1, 3, 2], [2, 1], [1, 2]]\n"       /* 11 */
                            "    restraints: [[3, 100, 0, 5.5], [1, 7, 7, 7]]\n"  /* 12 */
                            "  N: {beads: [A], restraints: [[1, 100, 0, 5.5]]}\n" /* 13 */
                            "  O: {beads: [A, A]}\n";                             /* 14 */

/* Each pair from both sides, whatever the order and however often it stands in the file. */
static void exclusions_are_read(void **state)
{
  (void)state;
  static const struct ff_exclusion want[4] = {{0, 1}, {0, 2}, {1, 0}, {2, 0}};
  struct forcefield *ff = forcefield_parse(whole, "whole");
  assert_int_equal(ff->molecule[0].n_exclusions, 4);
  assert_memory_equal(ff->molecule[0].exclusion, want, sizeof want);
  assert_int_equal(ff->molecule[2].n_exclusions, 0);
  forcefield_destroy(ff);
}

/* Equal constants are one type. */
static void restraints_are_read(void **state)
{
  (void)state;
  struct forcefield *ff = forcefield_parse(whole, "whole");
  const struct ff_section *s = &ff->bonded[SECTION_restraint];
  const struct ff_terms *m = &ff->molecule[0].bonded[SECTION_restraint],
                        *n = &ff->molecule[1].bonded[SECTION_restraint];
  assert_int_equal(s->n, 2);
  assert_true(s->type[0].value[0] == 100 && s->type[0].value[1] == 0);
  assert_true(s->type[0].value[2] == 5.5 && s->type[1].value[1] == 7);
  assert_true(m->n == 2 && m->term[0].bead[0] == 2 && m->term[1].bead[0] == 0);
  assert_true(m->term[0].type == 0 && m->term[1].type == 1);
  assert_true(n->n == 1 && n->term[0].type == 0);
  assert_int_equal(ff->molecule[2].bonded[SECTION_restraint].n, 0);
  forcefield_destroy(ff);
}

/* A state holds both, so a force field with others does not extend that of a state. Constants may
   differ, as those of other terms may. */
static void states_hold_them(void **state)
{
  (void)state;
  struct forcefield *ff = forcefield_parse(whole, "whole");
  static const char *const others[][2] = {{"[[1, 3, 2], [2, 1], [1, 2]]", "[[1, 2]]"},
                                          {", [1, 7, 7, 7]", ""},
                                          {"[1, 7, 7, 7]", "[2, 7, 7, 7]"}};
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
    char *text = changed(whole, others[k][0], others[k][1]);
    struct forcefield *other = forcefield_parse(text, "other");
    assert_int_equal(forcefield_extends(other, ff), 0);
    forcefield_destroy(other);
    free(text);
  }
  char *text = changed(whole, "[1, 7, 7, 7]", "[1, 7, 8, 7]");
  struct forcefield *other = forcefield_parse(text, "other");
  assert_true(forcefield_extends(other, ff) && !forcefield_keeps(other, ff));
  assert_true(forcefield_extends(ff, ff) && forcefield_keeps(ff, ff));
  forcefield_destroy(other);
  forcefield_destroy(ff);
  free(text);
}

/* What is there, what takes its place, and what is said about it. */
static const char *const cases[][3] = {
    {"[2, 1]", "[2, 4]", "ff.yaml:11: molecules.M.exclusions[2][2]: 4 is more than 3"},
    {"[2, 1]", "[0, 1]", "ff.yaml:11: molecules.M.exclusions[2][1]: 0 is less than 1"},
    {"[2, 1]", "[2]", "ff.yaml:11: molecules.M.exclusions[2]: 1 items, but at least 2"},
    {"[2, 1]", "[2, 2]", "ff.yaml:11: molecules.M.exclusions[2]: a bead stands here twice"},
    {"[2, 1]", "[2, x]", "ff.yaml:11: molecules.M.exclusions[2][2]: 'x' is not a whole number"},
    {"[1, 7, 7, 7]", "[4, 7, 7, 7]", "ff.yaml:12: molecules.M.restraints[2][1]: 4 is more than 3"},
    {"[1, 7, 7, 7]", "[1, 7, 7]", "ff.yaml:12: molecules.M.restraints[2]: 3 items"},
    {"[1, 7, 7, 7]", "[1, 7, -7, 7]",
     "ff.yaml:12: molecules.M.restraints[2][3]: -7 is less than 0"},
    {"[1, 7, 7, 7]", "[3, 7, 7, 7]",
     "ff.yaml:12: molecules.M.restraints[2]: bead 3 is restrained for the second time"},
    {"[1, 7, 7, 7]", "[1, spere, 7, 7]",
     "ff.yaml:12: molecules.M.restraints[2][2]: 'spere' is none of sphere|layer_x|"},
    {"[1, 7, 7, 7]", "[1, sphere, 7, -7]",
     "ff.yaml:12: molecules.M.restraints[2][4]: -7 is less than 0"},
    {"restraints: [[3", "restraint: [[3", "unknown key 'restraint'; did you mean 'restraints'?"},
};

static void wrong_entries(void **state)
{
  (void)state;
  assert_refused(whole, cases, sizeof cases / sizeof cases[0]);
}

static void damaged_files(void **state)
{
  (void)state;
  assert_int_equal(fuzz_failures(parse_text, whole, 500), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exclusions_are_read), cmocka_unit_test(restraints_are_read),
      cmocka_unit_test(states_hold_them), cmocka_unit_test(wrong_entries),
      cmocka_unit_test(damaged_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
