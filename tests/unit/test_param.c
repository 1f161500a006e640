/* Run files: defaults, files and overrides in their order, the echo that reads back as the same,
   and every kind of error with its place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/param.h"
#include "tests/support/fuzz.h"
#include "tests/support/unit.h"

static char path[] = "/tmp/lamella_test_XXXXXX";

static int make_file(void **state)
{
  (void)state;
  int file = mkstemp(path);
  return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
  (void)state;
  return unlink(path);
}

static void write_file(const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static int same_real(double a, double b)
{
  return a == b || (isnan(a) && isnan(b));
}

/* 0, or the number of keys that differ. */
static int differences(const struct params *a, const struct params *b)
{
  int n = 0;
#define PARAM_REAL(section, key, ...) n += !same_real(a->section##key, b->section##key);
#define PARAM_RAMP(section, key, ...)                                                              \
  n += memcmp(&a->section##key, &b->section##key, sizeof a->section##key) != 0;
#define PARAM_EDGES(section, key, ...)                                                             \
  n += memcmp(a->section##key, b->section##key, sizeof a->section##key) != 0;
#define PARAM_INT(section, key, ...) n += a->section##key != b->section##key;
#define PARAM_TEXT(section, key, ...) n += strcmp(a->section##key, b->section##key) != 0;
#define PARAM_CHOICE(section, key, ...) n += a->section##key != b->section##key;
#define PARAM_TREE(section, key, ...) n += strcmp(a->section##key, b->section##key) != 0;
#define PARAM_GONE(...)
#include "input/param_list.h"
  return n;
}

static void defaults(void **state)
{
  (void)state;
  struct params *p = params_load(NULL, 0, NULL);
  assert_string_equal(p->input, "");
  assert_string_equal(p->restart, "auto");
  assert_int_equal(p->run_steps, 1000);
  assert_true(p->run_dt == 0.01);
  assert_int_equal(p->run_precision, PRECISION_MIXED);
  assert_int_equal(p->barostat_coupling, COUPLING_SEMI_ISOTROPIC);
  write_file("# nothing but a comment\n");
  struct params *q = params_load(path, 0, NULL);
  assert_int_equal(differences(p, q), 0);
  params_destroy(p);
  params_destroy(q);
  params_destroy(NULL);
}

static void files_then_overrides_in_order(void **state)
{
  (void)state;
  char *overrides[] = {
      "run.steps=7",         "run.steps=1e2",           "restart=old.h5", "neighbor.skin=auto",
      "output.prefix=a=b c", "barostat.type=C-rescale", "input="};
  write_file("input: start.h5\n"
             "run: {steps: 5, dt: 0.002, precision: double}\n"
             "thermostat:\n"
             "  type: v-rescale\n"
             "neighbor: {rebuild: exact, skin: 0.3}\n"
             "parallel: {axis: y}\n");
  struct params *p = params_load(path, 0, NULL), *q = params_load(path, 7, overrides);
  assert_string_equal(p->input, "start.h5");
  assert_int_equal(p->run_steps, 5);
  assert_true(p->run_dt == 0.002 && p->neighbor_skin == 0.3);
  assert_int_equal(p->run_precision, PRECISION_DOUBLE);
  assert_int_equal(p->thermostat_type, THERMOSTAT_BUSSI);
  assert_int_equal(p->parallel_axis, AXIS_Y);
  assert_int_equal(q->run_steps, 100);
  assert_true(q->run_dt == 0.002 && isnan(q->neighbor_skin));
  assert_string_equal(q->restart, "old.h5");
  assert_string_equal(q->output_prefix, "a=b c");
  assert_string_equal(q->input, "");
  assert_int_equal(q->barostat_type, BAROSTAT_CRESCALE);
  assert_int_equal(differences(p, q), 6);
  params_destroy(p);
  params_destroy(q);
}

/* Values that a command sets, of every type, are those of the echo, and no others change. */
static void values_are_set(void **state)
{
  (void)state;
  struct params *p = params_load(NULL, 0, NULL), *before = params_load(NULL, 0, NULL);
  params_set_real(p, "neighbor.skin", 0.125);
  params_set_int(p, "run.seed", INT64_C(1) << 40);
  params_set_int(p, "parallel.axis", AXIS_Y);
  params_set_text(p, "output.prefix", "there/x");
  params_set_text(p, "observe", "[{msd: {every: 1}}]");
  char *text = params_text(p);
  struct params *back = params_parse(text, "echo");
  assert_true(back->neighbor_skin == 0.125 && back->run_seed == INT64_C(1) << 40);
  assert_true(back->parallel_axis == AXIS_Y && back->run_dt == before->run_dt);
  assert_true(back->parallel_backend == before->parallel_backend);
  assert_string_equal(back->output_prefix, "there/x");
  assert_string_equal(back->observe, "[{msd: {every: 1}}]");
  assert_string_equal(back->restart, before->restart);
  free(text);
  params_destroy(back);
  params_destroy(before);
  params_destroy(p);
}

static void the_echo_reads_back(void **state)
{
  (void)state;
  char *overrides[] = {"input=\"x\" # y: [z]",
                       "forcefield=~",
                       "restart=never",
                       "run.steps=9223372036854775807",
                       "run.dt=0.0123456789012345678",
                       "neighbor.skin=auto",
                       "barostat.tau=12.5",
                       "output.prefix=\xc3\xa4\n\t",
                       "barostat.coupling=constant_area",
                       "thermostat.temperature=1e-300"};
  for (int n = 0; n <= 10; n += 10) {
    struct params *p = params_load(NULL, n, overrides);
    char *text = params_text(p);
    write_file(text);
    struct params *q = params_load(path, 0, NULL);
    char *again = params_text(q);
    assert_int_equal(differences(p, q), 0);
    assert_string_equal(text, again);
    params_destroy(p);
    params_destroy(q);
    free(text);
    free(again);
  }
}

static void the_example_is_right(void **state)
{
  (void)state;
  const char *top = getenv("top_srcdir");
  char name[4096];
  if (!top) skip();
  snprintf(name, sizeof name, "%s/examples/run.yaml", top);
  params_destroy(params_load(name, 0, NULL));
}

static void load_text(void *text)
{
  write_file(text);
  params_destroy(params_load(path, 0, NULL));
}

static void wrong_files(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"run: {stepz: 3}", ":1: run: unknown key 'stepz'; did you mean 'steps'?"},
      {"\nrnu: {steps: 3}", ":2: unknown key 'rnu'; did you mean 'run'?"},
      {"steps: 3", ":1: unknown key 'steps'"},
      {"run: {dt: 10 fs}", ":1: run.dt: '10 fs' is not a number"},
      {"run: {dt: 0}", ":1: run.dt: 0 is less than 1e-09"},
      {"run: {dt: 5}", ":1: run.dt: 5 is more than 1"},
      {"run: {dt: auto}", ":1: run.dt: 'auto' is not a number"},
      {"run: {dt: nan}", ":1: run.dt: 'nan' is not a number"},
      {"run: {dt: [1]}", ":1: run.dt: this is a list"},
      {"run: {dt: }", ":1: run.dt: a value is missing"},
      {"neighbor: {skin: }", "lamella_test"},
      {"run:\n  steps: 1.5", ":2: run.steps: '1.5' is not a whole number"},
      {"run: {steps: -1}", ":1: run.steps: -1 is less than 0"},
      {"run: {steps: 9223372036854775808}", "is not a whole number"},
      {"run: {precision: quad}", ":1: run.precision: 'quad' is none of mixed|double"},
      {"run: 3", ":1: run: this is a single value"},
      {"[run]", ":1: this is a list"},
      {"run: {steps: 1}\nrun: {dt: 1}", ":2: 'run' is given twice, first in line 1"},
      {"run: {steps: 1, steps: 2}", ":1: run: 'steps' is given twice"},
      {"input: {a: b}", ":1: input: this is a mapping"},
      {"run: {steps: 1", "this is not YAML"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    if (!dies_saying(load_text, (void *)(uintptr_t)cases[k][0], 2, cases[k][1]))
      fail_msg("%s", cases[k][0]);
  /* One error is reported once. */
  char message[8192];
  death_of(load_text, (char[]){"neighbor: {skin: }"}, message, sizeof message);
  assert_null(strstr(message, "mistakes"));
}

static void override_only(void *text)
{
  char *overrides[] = {text};
  params_destroy(params_load(NULL, 1, overrides));
}

static void wrong_overrides(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"run.steps", "section.key=value"},
      {"", "section.key=value"},
      {"=3", "there is no such key"},
      {"run.stpes=3", "run.stpes: there is no such key; did you mean 'run.steps'?"},
      {"run.steps=abc", "run.steps: 'abc' is not a whole number"},
      {"run.steps=", "run.steps: '' is not a whole number"},
      {"run.dt=1 ", "run.dt: '1 ' is not a number"},
      {"run.dt=7", "run.dt: 7 is more than 1"},
      {"run.precision=x", "none of mixed|double"},
      {"neighbor.rebuild=interval", "lists are always exact, which is faster"},
      {"neighbor.every=10", "neighbor.every: lists are exact and have no interval"},
      {"neighbor.max_missed=auto", "neighbor.max_missed: lists are exact and miss no pair"},
      {"output.prefix=\xff", "not UTF-8"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    if (!dies_saying(override_only, (void *)(uintptr_t)cases[k][0], 2, cases[k][1]))
      fail_msg("%s", cases[k][0]);
}

static void many_wrong(void *unused)
{
  char *overrides[] = {"run.stepz=1", "thermostat.every=0"};
  (void)unused;
  write_file("run: {dt: x,\n  precision: y}\nbox: 3\n");
  params_load(path, 2, overrides);
}

static void all_mistakes_at_once(void **state)
{
  (void)state;
  static const char *const said[] = {"5 mistakes",
                                     ":3: unknown key 'box'",
                                     ":1: run.dt: 'x'",
                                     ":2: run.precision: 'y'",
                                     "run.stepz: there is no such key",
                                     "thermostat.every: 0 is less than 1"};
  for (size_t k = 0; k < sizeof said / sizeof said[0]; k++)
    assert_true(dies_saying(many_wrong, NULL, 2, said[k]));
}

static void load_soon(void *text)
{
  alarm(20);
  load_text(text);
}

static void damaged_files(void **state)
{
  (void)state;
  struct params *p = params_load(NULL, 0, NULL);
  char *text = params_text(p);
  assert_int_equal(fuzz_failures(load_soon, text, 500), 0);
  assert_int_equal(fuzz_failures(override_only, "run.dt=0.01", 500), 0);
  free(text);
  params_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults),
      cmocka_unit_test(files_then_overrides_in_order),
      cmocka_unit_test(values_are_set),
      cmocka_unit_test(the_echo_reads_back),
      cmocka_unit_test(the_example_is_right),
      cmocka_unit_test(wrong_files),
      cmocka_unit_test(wrong_overrides),
      cmocka_unit_test(all_mistakes_at_once),
      cmocka_unit_test(damaged_files),
  };
  return cmocka_run_group_tests(tests, make_file, remove_file);
}
