/* Tabulated pairs in double, from the text of a force field to the energy of a pair: Lennard-Jones
   as a table against its formula, the order of its error, units, the ends of tables, tables as
   LAMMPS has them, and files that are refused, each by its line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "input/forcefield_file.h"
#include "input/forcefield_parser.h"
#include "pair/model_body.h"
#include "tests/support/death.h"
#include "tests/support/unit.h"

#define CUTOFF 1.25
#define FIRST 0.3

static const double epsilon = 1.7, sigma = 0.4;

static double lj_energy(double r)
{
  const double q = pow(sigma / r, 6);
  return 4 * epsilon * q * (q - 1);
}

static double lj_force(double r)
{
  const double q = pow(sigma / r, 6);
  return 24 * epsilon * q * (2 * q - 1) / r;
}

/* A force field of one type, whose table stands in the section X of a file. */
static const char head[] = "format: 1\n"
                           "name: one\n"
                           "cutoff: 1.25\n"
                           "types: {A: {mass: 1}}\n"
                           "tables: {LJ: {file: lj.table%s}}\n"
                           "pair: {table: [[A, A, {tabulated: LJ}]]}\n"
                           "files:\n"
                           "  lj.table: |2\n";

enum spacing { AS_IT_STANDS, BY_R, BY_RSQ, PLAIN };

static double distance(enum spacing spacing, int k, int n)
{
  const double part = k / (n - 1.0);
  if (spacing != BY_RSQ) return FIRST + part * (CUTOFF - FIRST);
  return sqrt(FIRST * FIRST + part * (CUTOFF * CUTOFF - FIRST * FIRST));
}

/* The text with a table of n rows of Lennard-Jones. length, energy: nm and kJ/mol of the units of
   the file. Caller frees. */
static char *text_of(enum spacing spacing, int n, double length, double energy)
{
  static const char *const words[] = {"", " R %.17g %.17g", " RSQ %.17g %.17g FPRIME 1 2"};
  char *text = alloc_array(2000 + 120LL * n, 1), source[200];
  snprintf(source, sizeof source, "%s, length: %.17g, energy: %.17g",
           spacing == PLAIN ? "" : ", section: X", length, energy);
  int at = sprintf(text, head, source);
  at += sprintf(text + at, "    # other sections come before\n\n    Y\n    N 2\n    1 0 0 0\n");
  if (spacing == PLAIN) at = sprintf(text, head, source);
  if (spacing != PLAIN) {
    char range[100] = "";
    if (spacing == BY_R) snprintf(range, sizeof range, words[1], FIRST / length, CUTOFF / length);
    if (spacing == BY_RSQ) snprintf(range, sizeof range, words[2], FIRST / length, CUTOFF / length);
    at += sprintf(text + at, "    X\n    N %d%s\n\n", n, range);
  }
  for (int k = 0; k < n; k++) {
    const double r = distance(spacing, k, n);
    at += sprintf(text + at, "    ");
    if (spacing != PLAIN) at += sprintf(text + at, "%d ", k + 1);
    at += sprintf(text + at, "%.17g %.17g %.17g\n", r / length, lj_energy(r) / energy,
                  lj_force(r) / energy * length);
  }
  return text;
}

struct value {
  double u, f;
};

/* Energy and force of two beads of type 0 at a distance, nm. */
static struct value pair_at(const struct model *m, double r)
{
  const struct model_pass *pass = &m->pass[0];
  const struct pair_bead bead = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
  const struct vec3 apart = vec3_make(0, r / pass->cutoff, 0);
  const struct pair_arg p = pair_arguments(apart, bead, bead, 0, pass->set);
  const struct pair_value v = pair_evaluate(pass->set, pass->constants, pass->pair[0], p);
  const struct value out = {v.energy[ENERGY_lj], v.slope.f * apart.y / pass->cutoff};
  return out;
}

static struct model *model_of(const char *text)
{
  struct forcefield *ff = forcefield_parse(text, "one.yaml");
  const struct pair_plan plan = pair_plan_of(ff, NULL);
  assert_int_equal(plan.n_passes, 1);
  struct model *m = model_create(ff, &plan);
  forcefield_destroy(ff);
  return m;
}

/* The largest errors of energy and force from 0.35 nm on, relative to the depth of the well. */
static struct value errors_of(enum spacing spacing, int n, double length, double energy)
{
  char *text = text_of(spacing, n, length, energy);
  struct model *m = model_of(text);
  struct value worst = {0, 0};
  for (int k = 0; k < 20000; k++) {
    const double r = 0.35 + (CUTOFF - 0.35) * (k + 0.5) / 20000;
    const struct value v = pair_at(m, r);
    worst.u = fmax(worst.u, fabs(v.u - lj_energy(r)) / epsilon);
    worst.f = fmax(worst.f, fabs(v.f - lj_force(r)) * sigma / epsilon);
  }
  model_destroy(m);
  free(text);
  return worst;
}

/* Twice the rows: a sixteenth of the error of the energy, an eighth of that of the force. */
static void test_order(void **state)
{
  (void)state;
  const struct value coarse = errors_of(BY_R, 201, 1, 1), fine = errors_of(BY_R, 401, 1, 1);
  assert_true(coarse.u < 1e-3 && coarse.f < 1e-1);
  assert_true(coarse.u / fine.u > 14 && coarse.u / fine.u < 18);
  assert_true(coarse.f / fine.f > 7 && coarse.f / fine.f < 9);
}

/* However the distances are given, and in other units. */
static void test_spacing_and_units(void **state)
{
  (void)state;
  const struct value even = errors_of(BY_R, 1001, 1, 1);
  assert_true(even.u < 1e-6 && even.f < 1e-3);
  for (int spacing = 0; spacing <= PLAIN; spacing++) {
    const struct value v = errors_of((enum spacing)spacing, 1001, 0.1, 4.184);
    const double room = spacing == BY_RSQ ? 100 : 1.01;
    assert_true(v.u < room * even.u && v.f < room * even.f);
  }
}

/* The force is minus the slope of the energy, also below the first row, where it is constant, and
   across the ends of pieces. */
static void test_slopes_and_ends(void **state)
{
  (void)state;
  const double h = 1e-6, step = (CUTOFF - FIRST) / 400;
  char *text = text_of(AS_IT_STANDS, 401, 1, 1);
  struct model *m = model_of(text);
  for (int k = -30; k < 399 * 3; k++) {
    const double r = FIRST + (k / 3.0 + 1e-3) * step;
    const struct value v = pair_at(m, r), up = pair_at(m, r + h), down = pair_at(m, r - h);
    assert_true(fabs(v.f + (up.u - down.u) / (2 * h)) < 1e-5 * (1 + fabs(v.f)));
    if (k < -3) assert_true(fabs(v.f - lj_force(FIRST)) < 1e-9 * lj_force(FIRST));
  }
  const struct value last = pair_at(m, CUTOFF * (1 - 1e-9)),
                     after = pair_at(m, CUTOFF * (1 + 1e-9));
  assert_true(fabs(last.u - lj_energy(CUTOFF)) < 1e-7);
  assert_true(fabs(last.f - lj_force(CUTOFF)) < 1e-6);
  assert_true(after.u == 0 && after.f == 0);
  model_destroy(m);
  free(text);
}

/* Rows of a file, and what is said of it. */
static const struct refused {
  const char *source, *rows, *words;
} refused[] = {
    {", section: X", "    X\n    N 2 BITMAP 0.3 1\n    1 0.3 1 1\n    2 1 0 0\n",
     "lj.table:2: BITMAP tables are not read"},
    {", section: X", "    X\n    N 3 Q\n", "lj.table:2: 'Q' is not one of"},
    {", section: X", "    X\n    N 1\n    1 0.3 0 0\n", "lj.table:2: after N stands"},
    {", section: X", "    X\n    N 2.5\n    1 0.3 0 0\n    2 1 0 0\n",
     "lj.table:2: after N stands"},
    {", section: X", "    X\n    N 2x\n    1 0.3 0 0\n    2 1 0 0\n", "lj.table:2: after N stands"},
    {", section: X", "    X\n    N\n", "lj.table:2: a number is missing after 'N'"},
    {", section: X", "    X\n    N 2 FPRIME 1\n", "lj.table:2: a number is missing after '1'"},
    {", section: X", "    X\n    N 2 R 0.3 l\n", "lj.table:2: 'l' is not a number"},
    {", section: X", "    X\n    N 2 N 2 N 2 N 2 N 2 N 2 N 2\n", "lj.table:2: more than 11 words"},
    {", section: X", "    X\n    N 2\n    l 0.3 0 0\n    2 1 0 0\n",
     "lj.table:3: 'l' is not a number"},
    {"", "    0.3 1.0000000000000000000000000000000000000000000000000000000000000000e9 2\n",
     "lj.table:1: the table ends here, after 1 rows"},
    {", section: Z", "    X\n    N 2\n    1 0.3 1 1\n    2 1 0 0\n", "no section 'Z'"},
    {", section: X", "    X\n    N 3\n    1 0.3 1 1\n    2 1 0 0\n",
     "lj.table:4: the table ends here, after 2 rows"},
    {", section: X", "    X\n    N 2 R 0.3 1\n    1 0.3 1 1\n    2 0.9 0 0\n",
     "lj.table:4: the distance 0.9"},
    {"", "    0.3 1 2\n    0.4 nil 2\n", "lj.table:2: 'nil' is not a number"},
    {"", "    0.3 1 2\n    0.4 1\n", "lj.table:2: a row has three columns"},
    {"", "    0.3 1 2\n    0.3 1 2\n", "lj.table:2: distances ascend"},
    {"", "    -0.1 1 2\n    0.3 0.2 2\n", "the table 'LJ' begins at -0.1 nm"},
    {", interpolation: hermite", "    0.1 3 10\n    0.2 2 10\n    0.4 1 10\n",
     "lj.table:1: the rows are not equally spaced"},
    {", interpolation: hermite", "    0.1 3 -10\n    0.2 2 -10\n    0.3 1 -10\n",
     "lj.table:1: F contradicts U"},
    {", interpolation: spine", "    0.1 1 2\n    0.3 0.2 2\n",
     "one.yaml:5: tables.LJ.interpolation"},
    {", factors: [1, 2]", "    0.1 1 2\n", "lj.table:1: a row has five columns, r U F U F"},
    {", factors: [1, 2], cutoff: 0.2", "    0.1 0 0 0 0\n    0.2 0 0 0 0\n    0.3 1 0 0 0\n",
     "no row stands at the cutoff of 0.2 nm; the last before it is at 0.3 nm"},
    {", factors: [1, 2], section: X", "    X\n", "a section has one potential"},
    {", cutoff: 0.5", "    0.1 3 10\n    0.2 2 10\n    0.3 1 10\n",
     "no row stands at the cutoff of 0.5 nm; the last before it is at 0.3 nm"},
    {", cutoff: 0.25", "    0.1 3 10\n    0.2 2 10\n    0.3 1 10\n",
     "no row stands at the cutoff of 0.25 nm; the last before it is at 0.2 nm"},
    {"", "    # U = r, F = 1\n    0.1 1.1 -1\n    0.2 1.2 -1\n",
     "one.yaml:6: pair.table[1][3]: the table 'LJ' begins"},
    {"", "    0.1 2 10\n    0.2 1 10\n    0.3 0.5 10\n",
     "lj.table:3: F contradicts U: from r = 0.2 to 0.3 nm"},
    {"", "    0.5 1 1\n    1.5 0 1\n", "ends at 1.5 nm, beyond the cutoff of 1.25 nm"},
    {", energy: 0", "    0.5 1 1\n    1.5 0 1\n", "one.yaml:5: tables.LJ.energy"},
    {", file: none", "    0.5 1 1\n    1 0 1\n", "'file' is given twice"},
};

static void parse(void *text)
{
  forcefield_destroy(forcefield_parse(text, "one.yaml"));
}

static void test_refused(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
    char text[2000];
    snprintf(text, sizeof text, head, refused[k].source);
    strcat(text, refused[k].rows);
    assert_true(dies_saying(parse, text, STATUS_INPUT, refused[k].words));
  }
}

/* A unit that is wrong is found by F alone: energies in kcal/mol, forces in kJ/mol. */
static void test_units_of_force(void **state)
{
  (void)state;
  char text[8000];
  int at = sprintf(text, head, "");
  for (int k = 0; k < 40; k++) {
    const double r = 0.5 + 0.01 * k;
    at += sprintf(text + at, "    %.9g %.9g %.9g\n", r, lj_energy(r) / 4.184, -lj_force(r));
  }
  assert_true(dies_saying(parse, text, STATUS_INPUT, "F contradicts U"));
}

/* Tables replace Lennard-Jones: no truncation of it is needed, or allowed, and they do not mix. */
static void test_pairs_without_lj(void **state)
{
  (void)state;
  char *text = text_of(BY_R, 101, 1, 1), *at = strstr(text, "pair: {table");
  char other[64000];
  snprintf(other, sizeof other, "%.*spair: {lj: {truncation: cut}, table%s", (int)(at - text), text,
           at + strlen("pair: {table"));
  assert_true(dies_saying(parse, other, STATUS_INPUT, "no pairs here are of Lennard-Jones"));
  at = strstr(text, "types: {A: {mass: 1}}");
  snprintf(other, sizeof other, "%.*stypes: {A: {mass: 1}, B: {mass: 2}}%s", (int)(at - text), text,
           at + strlen("types: {A: {mass: 1}}"));
  assert_true(
      dies_saying(parse, other, STATUS_INPUT, "the pair [A, B] is missing; tables do not mix"));
  free(text);
}

/* A force field with a table of angles, whose rows follow. */
static const char bent[] =
    "format: 1\nname: bent\ncutoff: 1\ntypes: {A: {mass: 1}}\n"
    "pair: {lj: {truncation: cut}, table: [[A, A, {epsilon: 1, sigma: 0.4}]]}\n"
    "angles: {a: {form: table, k: 1, tabulated: %s}}\n"
    "tables: {T: {file: t.xvg, interpolation: hermite}}\n"
    "files:\n  t.xvg: |2\n    %g 3 0\n    90 2 0.01\n    %g 1 0\n";

static void test_bonded_tables(void **state)
{
  (void)state;
  char text[1000];
  snprintf(text, sizeof text, bent, "T", 0.0, 180.0);
  struct forcefield *ff = forcefield_parse(text, "one"), *same = forcefield_parse(text, "one");
  assert_true(forcefield_bonded_table(ff, &ff->bonded[SECTION_angle].type[0]) == &ff->table[0]);
  assert_true(tabulated_lowest(&ff->table[0], 1) == 180 &&
              tabulated_lowest(&ff->table[0], -1) == 0);
  assert_true(forcefield_keeps(same, ff));
  same->table[0].piece[1].c[3] += 1e-9;
  assert_false(forcefield_keeps(same, ff));
  forcefield_destroy(ff);
  forcefield_destroy(same);
  snprintf(text, sizeof text, bent, "T", 10.0, 170.0);
  assert_true(dies_saying(parse, text, STATUS_INPUT,
                          "the table 'T' goes from 10 to 170: one of angles goes from 0 to 180"));
  snprintf(text, sizeof text, bent, "S", 0.0, 180.0);
  assert_true(dies_saying(parse, text, STATUS_INPUT, "angles.a.tabulated: 'tables' has no 'S'"));
}

/* The text of a force field is whole once its files have been added, byte for byte. */
static void test_files_are_added(void **state)
{
  (void)state;
  static const char rows[] = "  # indented\n\n0.5\t1 1\r\n1 0.5 1";
  FILE *file = fopen("tabulated_rows.txt", "w");
  assert_non_null(file);
  fputs(rows, file);
  fclose(file);
  static const char yaml[] = "format: 1\nname: one\ncutoff: 1.25\ntypes: {A: {mass: 1}}\n"
                             "tables: {T: {file: tabulated_rows.txt}}\n"
                             "pair: {table: [[A, A, {tabulated: T}]]}";
  char *text = alloc_array(sizeof yaml, 1);
  memcpy(text, yaml, sizeof yaml);
  text = forcefield_add_files(text, "./one.yaml");
  remove("tabulated_rows.txt");
  assert_non_null(strstr(text,
                         "\n  \"tabulated_rows.txt\": |2\n      # indented\n    \n    0.5\t1 1\n"
                         "    1 0.5 1\n"));
  struct forcefield *ff = forcefield_parse(text, "state");
  assert_int_equal(ff->table[0].n, 1);
  assert_true(ff->table[0].start == 0.5 && tabulated_end(&ff->table[0]) == 1);
  char *again = forcefield_add_files(text, "./one.yaml");
  assert_string_equal(again, ff->text);
  struct forcefield *same = forcefield_parse(again, "state");
  assert_true(forcefield_keeps(same, ff));
  same->table[0].piece[0].c[2] += 1e-9;
  assert_false(forcefield_keeps(same, ff));
  forcefield_destroy(ff);
  forcefield_destroy(same);
  free(again);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),           cmocka_unit_test(test_spacing_and_units),
      cmocka_unit_test(test_slopes_and_ends), cmocka_unit_test(test_refused),
      cmocka_unit_test(test_units_of_force),  cmocka_unit_test(test_pairs_without_lj),
      cmocka_unit_test(test_bonded_tables),   cmocka_unit_test(test_files_are_added),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
