/* YAML trees: values and shapes, every error with its line and place, texts that are refused, and
   damage that must not crash. */
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"
#include "input/yaml_tree.h"
#include "tests/support/fuzz.h"
#include "tests/support/unit.h"

static const char good[] = "# a comment\n"
                           "name: \"a \\\"b\\\" \\\\ \\u00e4\"\n"
                           "run: {steps: 1e3, dt: 0.01, precision: double}\n"
                           "box: [1, 2.5, -3]\n"
                           "types:\n"
                           "  W: {mass: 40}\n"
                           "  C: {mass: 90}\n";

static const char shape[] = "name|run|box|types";

static void values(void **state)
{
  (void)state;
  struct error_list m = {0};
  struct yaml_tree *t = yaml_parse(good, "good.yaml", &m);
  int root = yaml_root(t), run = yaml_get(t, root, "run"), types = yaml_need(t, root, "types");
  double box[3] = {0};
  assert_true(yaml_expect_map(t, root, shape) && yaml_expect_map(t, run, "steps|dt|precision"));
  assert_string_equal(yaml_text(t, yaml_get(t, root, "name"), ""), "a \"b\" \\ \xc3\xa4");
  assert_true(yaml_int(t, yaml_get(t, run, "steps"), 5, 0, 1000) == 1000);
  assert_true(yaml_real(t, yaml_get(t, run, "dt"), 5, 0.01, 0.01) == 0.01);
  assert_int_equal(yaml_choice(t, yaml_get(t, run, "precision"), 0, "mixed|double"), 1);
  yaml_reals(t, yaml_get(t, root, "box"), 3, box, -3, 3);
  assert_true(box[0] == 1 && box[1] == 2.5 && box[2] == -3);
  assert_int_equal(yaml_count(t, types), 2);
  assert_string_equal(yaml_key(t, types, 1), "C");
  assert_int_equal(yaml_line(t, yaml_item(t, types, 1)), 7);
  assert_true(yaml_is_text(t, yaml_get(t, run, "precision"), "double"));
  assert_int_equal(m.count, 0);
  yaml_destroy(t);
}

/* Node 0 gives fallbacks and is no error. */
static void absent(void **state)
{
  (void)state;
  struct error_list m = {0};
  double box[2] = {3, 4};
  struct yaml_tree *t = yaml_parse("", "empty.yaml", &m);
  int none = yaml_get(t, yaml_root(t), "none");
  assert_true(yaml_is_map(t, yaml_root(t)));
  assert_int_equal(none, 0);
  assert_int_equal(yaml_need(t, none, "x"), 0);
  assert_int_equal(yaml_expect_map(t, none, "a"), 0);
  assert_int_equal(yaml_expect_list(t, none, 1, 2), 0);
  assert_true(yaml_real(t, none, 7, 0, 1) == 7 && yaml_int(t, none, 7, 0, 1) == 7);
  assert_string_equal(yaml_text(t, none, "back"), "back");
  assert_string_equal(yaml_key(t, none, 0), "");
  assert_int_equal(yaml_choice(t, none, 3, "a|b"), 3);
  assert_int_equal(yaml_item(t, none, 0), 0);
  yaml_reals(t, none, 2, box, 0, 1);
  assert_true(box[0] == 3 && box[1] == 4);
  assert_int_equal(m.count, 0);
  yaml_need(t, yaml_root(t), "x");
  char *text = error_list_text(&m);
  assert_string_equal(text, "empty.yaml:1: 'x' is missing");
  free(text);
  error_list_free(&m);
  yaml_destroy(t);
}

static void read_all(void *text)
{
  struct error_list m = {0};
  struct yaml_tree *t = yaml_parse(text, "f.yaml", &m);
  int root = yaml_root(t), run = yaml_get(t, root, "run"), types = yaml_get(t, root, "types");
  double box[3];
  yaml_expect_map(t, root, shape);
  yaml_text(t, yaml_need(t, root, "name"), "");
  yaml_expect_map(t, run, "steps|dt|precision");
  yaml_int(t, yaml_get(t, run, "steps"), 0, 0, 1000);
  yaml_real(t, yaml_get(t, run, "dt"), 0, YAML_POSITIVE, 1);
  yaml_choice(t, yaml_get(t, run, "precision"), 0, "mixed|double");
  yaml_reals(t, yaml_get(t, root, "box"), 3, box, -10, 10);
  yaml_expect_map(t, types, NULL);
  for (int k = 0; k < yaml_count(t, types); k++)
    yaml_real(t, yaml_need(t, yaml_item(t, types, k), "mass"), 1, YAML_POSITIVE, 1e6);
  error_list_check(&m);
  yaml_destroy(t);
}

static void all_mistakes_at_once(void **state)
{
  (void)state;
  char text[] = "nmae: x\n"
                "run: {steps: 1.5, dt: 0, precision: dubble,\n"
                "  stpes: 3}\n"
                "box: [1, x, 20]\n"
                "types:\n"
                "  W: {mass: heavy}\n"
                "  C: {}\n"
                "  P:\n"
                "    mass: ~\n";
  static const char *const said[] = {
      "11 mistakes",
      "f.yaml:1: unknown key 'nmae'; did you mean 'name'?",
      "f.yaml:1: 'name' is missing",
      "f.yaml:3: run: unknown key 'stpes'; did you mean 'steps'?",
      "f.yaml:2: run.steps: '1.5' is not a whole number",
      "f.yaml:2: run.dt: 0 is not more than 0",
      "f.yaml:2: run.precision: 'dubble' is none of mixed|double; did you mean 'double'?",
      "f.yaml:4: box[2]: 'x' is not a number",
      "f.yaml:4: box[3]: 20 is more than 10",
      "f.yaml:6: types.W.mass: 'heavy' is not a number",
      "f.yaml:7: types.C: 'mass' is missing",
      "f.yaml:9: types.P.mass: a value is missing"};
  for (size_t k = 0; k < sizeof said / sizeof said[0]; k++)
    assert_true(dies_saying(read_all, text, 2, said[k]));
}

static void refused_texts(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"name: [a", "f.yaml:2: this is not YAML"},
      {"name: x\nname: y\n", "f.yaml:2: 'name' is given twice, first in line 1"},
      {"types:\n  W: {mass: 1}\n  C: {mass: 2}\n  W: {mass: 3}\n",
       "f.yaml:4: types: 'W' is given twice"},
      {"name: &a [*a]\n", "aliases"},
      {"name: x\nrun: &r {steps: 1}\nbox: *r\n", "f.yaml:2: anchors and aliases"},
      {"name: x\nbox: *nobody\n", "f.yaml:2: anchors and aliases"},
      {"name: x\n---\nname: y\n", "f.yaml:3: a second document begins"},
      {"name: \"a\\0b\"\n", "NUL"},
      {"name: x\nbox: \xff\n", "f.yaml:2: this is not YAML"},
      {"name: \xc3(\n", "this is not YAML"},
      {"name: \x01\n", "this is not YAML"},
      {"? [a]\n: b\n", "f.yaml:1: a key must be a single word"},
      {"\tname: x\n", "this is not YAML"},
      {"- a\n- b\n", "f.yaml:1: this is a list; write {key: value, ...}"},
      {"name: x\nrun: 10 fs\n", "f.yaml:2: run: this is a single value"},
      {"name: x\nbox: 3\n", "f.yaml:2: box: this is a single value; write a list"},
      {"name: x\nbox: [1, 2]\n", "f.yaml:2: box: 2 items, but at least 3"},
      {"name: x\nbox: [1, 2, 3, 4]\n", "f.yaml:2: box: 4 items, but at most 3"},
      {"name: {a: b}\n", "f.yaml:1: name: this is a mapping; write a single value"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    if (!dies_saying(read_all, (void *)(uintptr_t)cases[k][0], 2, cases[k][1]))
      fail_msg("%s", cases[k][0]);
}

/* Many brackets, deep indentation, many keys, many errors, a large text: an answer at once. */
static void hostile_texts(void **state)
{
  (void)state;
  size_t n = 1000000;
  char *text = malloc(2 * n + 8), *large = malloc(YAML_TEXT_MAX + 2);
  memset(text, '[', n);
  text[n] = 0;
  assert_true(dies_saying(read_all, text, 2, "nested too deeply"));
  memset(text, ']', n);
  assert_true(dies_saying(read_all, text, 2, "not YAML"));
  for (size_t k = 0; k < 2000; k++)
    memcpy(text + 2 * k, "- ", 3);
  assert_true(dies_saying(read_all, text, 2, "nested too deeply"));
  char *to = text + sprintf(text, "box: [");
  for (size_t k = 0; k < n / 2; k++)
    to += sprintf(to, "x,");
  strcpy(to, "]");
  assert_true(dies_saying(read_all, text, 2, "500000 items"));
  to = text;
  for (size_t k = 0; k < n / 8; k++)
    to += sprintf(to, "k%zu: 1\n", k);
  assert_true(dies_saying(read_all, text, 2, "125001 mistakes, of which the first are"));
  memset(large, ' ', YAML_TEXT_MAX + 1);
  large[YAML_TEXT_MAX + 1] = 0;
  assert_true(dies_saying(read_all, large, 2, "larger than"));
  free(text);
  free(large);
}

static void load_file(void *path)
{
  struct error_list m = {0};
  yaml_destroy(yaml_load(path, &m));
}

static void files(void **state)
{
  (void)state;
  char path[] = "/tmp/lamella_test_XXXXXX", folder[] = "/tmp", gone[] = "/tmp/no/such.yaml";
  int file = mkstemp(path);
  assert_true(file >= 0 && write(file, "a: b\0c\n", 7) == 7);
  assert_true(dies_saying(load_file, path, 2, "contains NUL"));
  assert_true(dies_saying(load_file, folder, 2, "/tmp: "));
  assert_true(dies_saying(load_file, gone, 2, "/tmp/no/such.yaml: No such file"));
  assert_true(ftruncate(file, 0) == 0 && pwrite(file, good, strlen(good), 0) > 0);
  struct error_list m = {0};
  struct yaml_tree *t = yaml_load(path, &m);
  assert_int_equal(yaml_count(t, yaml_root(t)), 4);
  yaml_destroy(t);
  close(file);
  unlink(path);
}

static void take_scalar(void *value)
{
  struct error_list m = {0};
  struct yaml_tree *t = yaml_scalar(value, "option -s", &m);
  yaml_int(t, yaml_root(t), 0, 0, 10);
  error_list_check(&m);
  yaml_destroy(t);
}

static void scalars(void **state)
{
  (void)state;
  assert_true(dies_saying(take_scalar, (char[]){"7"}, 0, ""));
  assert_true(
      dies_saying(take_scalar, (char[]){"[1]"}, 2, "option -s: '[1]' is not a whole number"));
  assert_true(dies_saying(take_scalar, (char[]){"70"}, 2, "option -s: 70 is more than 10"));
  assert_true(dies_saying(take_scalar, (char[]){"\xff"}, 2, "not UTF-8"));
  assert_true(dies_saying(take_scalar, (char[]){""}, 2, "option -s: '' is not"));
}

static void quoted_texts_come_back(void **state)
{
  (void)state;
  static const char *const texts[] = {"",       "a b",  "\"\\'", "#: [x] {y} & *", "\n\t\x01\x7f",
                                      "~",      "null", " x ",   "\xc3\xa4",       "- a",
                                      "%TAG !", "@`|>"};
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
    struct error_list m = {0};
    char *quoted = format_yaml_string(texts[k]);
    struct yaml_tree *t = yaml_parse(quoted, "quoted", &m);
    assert_string_equal(yaml_text(t, yaml_root(t), "wrong"), texts[k]);
    assert_int_equal(m.count, 0);
    yaml_destroy(t);
    free(quoted);
  }
}

static void equal_meanings(void **state)
{
  (void)state;
  static const char *const texts[][2] = {
      /* the same */
      {"{a: 1, b: [x, y]}", "{b: [x, y], a: 1.0}"},
      {"[{n: a, t: 3e2}, {n: b}]", "[{t: 300, n: \"a\"}, {n: b}]"},
      {"{group: {types: [A, B], ids: [1, 2]}}", "{group: {ids: [1, 2], types: [B, A]}}"},
      {"kind: {every: 10, bins: 5}", "kind: {bins: 5, every: 1e1}"},
      {"[]", "[ ]"},
      /* not the same */
      {"{a: 1, b: 2}", "{a: 2, b: 1}"},
      {"[{n: a}, {n: b}]", "[{n: b}, {n: a}]"},
      {"{group: {ids: [1, 2]}}", "{group: {ids: [2, 1]}}"},
      {"{pairs: [A, B]}", "{pairs: [B, A]}"},
      {"{a: 1}", "{a: 1, b: 0}"},
      {"{a: one}", "{a: two}"}};
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
    assert_int_equal(yaml_mean_same(texts[k][0], texts[k][1]), k < 5);
}

static void read_soon(void *text)
{
  alarm(20);
  read_all(text);
}

static void damaged_texts(void **state)
{
  (void)state;
  assert_int_equal(fuzz_failures(read_soon, good, 1000), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values),         cmocka_unit_test(absent),
      cmocka_unit_test(refused_texts),  cmocka_unit_test(all_mistakes_at_once),
      cmocka_unit_test(hostile_texts),  cmocka_unit_test(files),
      cmocka_unit_test(scalars),        cmocka_unit_test(quoted_texts_come_back),
      cmocka_unit_test(equal_meanings), cmocka_unit_test(damaged_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
