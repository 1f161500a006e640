/* Clusters that cannot be, in force fields: each is named with its line. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "tests/support/texts.h"

enum { TEXT = 100000 };

/* What cannot be: each with its line. */
static void wrong_clusters(void **state)
{
  (void)state;
  static const char head[] =
      "format: 1\nname: t\ncutoff: 1\ntypes: {A: {mass: 72}, S: {mass: 0}}\npair: {lj: "
      "{truncation: "
      "cut, mixing: none}, electrostatics: {truncation: none}, table: [[A, A, {epsilon: 1, sigma: "
      "0.3}], [A, S, {epsilon: 1, sigma: 0.3}], [S, S, {epsilon: 1, sigma: 0.3}]]}\nmolecules:\n  "
      "M:\n    beads: [A, A, A, S, S]\n";
  static const char *const wrong[][2] = {
      {"    constraints: [[1, 1, 0.3]]", ":9: "},
      {"    constraints: [[1, 2, 0.3], [2, 1, 0.4, no_exclusions]]", "have a constraint or a bond"},
      {"    constraints: [[1, 6, 0.3]]", ":9: "},
      {"    constraints: [[1, 2, 0.3], [3, 1, 0.7], [2, 3, 0.3]]\n    sites: [{bead: 4, form: "
       "linear, from: [1, 2], a: 1}, {bead: 5, form: linear, from: [1, 2], a: 1}]",
       ":9: molecules.M.constraints: the constraint of 0.7 nm of beads 3 and 1 contradicts others, "
       "which hold them within 0.6 nm"},
      {"    constraints: [[1, 2, -0.3]]", ":9: "},
      {"    constraints: [[1, 2, 0.3, maybe]]", ":9: "},
      {"    sites: []", "bead 4 has no mass"},
      {"    sites: [{bead: 3, form: linear, from: [1, 2], a: 1}]", "type A has a mass"},
      {"    sites: [{bead: 4, form: linear, from: [4, 2], a: 1}]", "built on itself"},
      {"    sites: [{bead: 4, form: linear, from: [1, 2]}]", "'a' is missing"},
      {"    sites: [{bead: 4, form: linear, from: [1, 2, 3], a: 1}]", ":9: "},
      {"    sites: [{bead: 4, form: centre, from: [1, 2], weights: [1, -1]}]", "add up to 0"},
      {"    sites: [{bead: 4, form: linear, from: [1, 5], a: 1}, {bead: 5, form: linear, from: [4, "
       "1], a: 1}]",
       "in a circle"},
      {"    sites: [{bead: 4, form: linear, from: [1, 2], a: 1}, {bead: 4, form: linear, from: [1, "
       "2], a: 1}]",
       "for the second time"},
      {"    constraints: [[1, 4, 0.3]]\n    sites: [{bead: 4, form: linear, from: [1, 2], a: 1}, "
       "{bead: 5, form: linear, from: [1, 2], a: 1}]",
       "cannot have a constraint"}};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s\n", head, wrong[k][0]);
    assert_true(dies_saying(parse_text, text, 2, wrong[k][1]));
  }
}

/* A molecule with n beads, in a row, of which the next `more` pairs are at a distance too. */
static char *row_of(int n, int more)
{
  char *text = alloc_array(TEXT, 1);
  size_t at = (size_t)snprintf(
      text, TEXT,
      "format: 1\nname: t\ncutoff: 1\ntypes: {A: {mass: 72}}\npair: {lj: "
      "{truncation: cut, mixing: none}, electrostatics: {truncation: none}, "
      "table: [[A, A, {epsilon: 1, sigma: 0.3}]]}\nmolecules:\n  M:\n    beads: [A");
  for (int k = 1; k < n; k++)
    at += (size_t)snprintf(text + at, TEXT - at, ", A");
  at += (size_t)snprintf(text + at, TEXT - at, "]\n    constraints: [[1, 2, 0.3]");
  for (int apart = 1; apart < n; apart++)
    for (int k = 1 + (apart == 1); k + apart <= n && (apart == 1 || more-- > 0); k++)
      at += (size_t)snprintf(text + at, TEXT - at, ", [%d, %d, 0.3]", k, k + apart);
  snprintf(text + at, TEXT - at, "]\n");
  return text;
}

/* What is just possible, and one more bead, or constraint. */
static void too_large_clusters(void **state)
{
  (void)state;
  static const struct {
    int n, more;
    const char *wrong;
  } of[] = {
      {65, 0, NULL},
      {1024, 0, NULL},
      {1025, 0, "a cluster of 1025 beads; at most 1024"},
      {30, 192 - 29, NULL},
      {30, 193 - 29, "a cluster of 193 constraints; at most 192"},
      {65, 195 - 64, NULL},
      {65, 196 - 64, "a cluster of 196 constraints; at most 195"},
  };
  for (size_t k = 0; k < sizeof of / sizeof of[0]; k++) {
    char *text = row_of(of[k].n, of[k].more);
    if (of[k].wrong)
      assert_true(dies_saying(parse_text, text, 2, of[k].wrong));
    else
      parse_text(text);
    free(text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_clusters),
                                     cmocka_unit_test(too_large_clusters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
