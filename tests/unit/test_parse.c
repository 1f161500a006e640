/* Parsing and printing of numbers: what is accepted, what is refused, what reads back the same; and
   the nearest known word. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "tests/support/fuzz.h"
#include "tests/support/unit.h"

static void reals_are_whole_decimals(void **state)
{
  (void)state;
  static const char *const wrong[] = {"",      " 1",    "1 ",    "1.0x", "nan",  "inf",  "-inf",
                                      "0x10",  "1,5",   "1e",    "e5",   "--1",  "1 fs", ".",
                                      "1e999", "1_000", "1.0.0", "+-1",  "1e5.0"};
  double v = 7;
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    if (parse_real(wrong[k], &v)) fail_msg("'%s' is no number", wrong[k]);
    assert_true(v == 7);
  }
  assert_true(parse_real("-1.25e-3", &v) && v == -1.25e-3);
  assert_true(parse_real(".5", &v) && v == 0.5);
  assert_true(parse_real("+4", &v) && v == 4);
  assert_true(parse_real("1e-320", &v) && v > 0);
}

static void ints_are_exact(void **state)
{
  (void)state;
  static const char *const wrong[] = {"",    "1.5", "9223372036854775808",  "1e19",
                                      "12a", "-",   "99999999999999999999", "1e-1",
                                      "nan", " 1",  "-9223372036854775809", "9007199254740993.0e1"};
  int64_t v = 7;
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
    if (parse_int(wrong[k], &v)) fail_msg("'%s' is no whole number", wrong[k]);
  assert_true(v == 7);
  assert_true(parse_int("9223372036854775807", &v) && v == INT64_MAX);
  assert_true(parse_int("-9223372036854775807", &v) && v == -INT64_MAX);
  assert_true(parse_int("0000000000000000000000012", &v) && v == 12);
  assert_true(parse_int("1e6", &v) && v == 1000000);
  assert_true(parse_int("+3", &v) && v == 3);
  assert_true(parse_int("2.0", &v) && v == 2);
}

static void reals_come_back(void **state)
{
  (void)state;
  static const double some[] = {0,       0.1,    1.0 / 3, 1e300,        -DBL_MAX,
                                DBL_MIN, 4.6e-5, 1.01325, DBL_TRUE_MIN, 0.1 + 0.2};
  uint64_t seed = 1;
  char text[FORMAT_REAL_BYTES];
  double v;
  for (size_t k = 0; k < sizeof some / sizeof some[0]; k++)
    assert_true(parse_real(format_real(some[k], text), &v) && v == some[k]);
  for (int k = 0; k < 10000; k++) {
    uint64_t bits = fuzz_random(&seed);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x)) assert_true(parse_real(format_real(x, text), &v) && v == x);
  }
  assert_string_equal(format_real(0.1, text), "0.1");
}

static void words_in_lists(void **state)
{
  (void)state;
  size_t n;
  assert_int_equal(word_list_find("a|bc|def", "bc"), 1);
  assert_int_equal(word_list_find("a|bc|def", "b"), -1);
  assert_int_equal(word_list_find("a|bc|def", "bc|def"), -1);
  assert_int_equal(word_list_find("a|bc|def", ""), -1);
  assert_ptr_not_equal(word_list_item("a|bc", 1, &n), NULL);
  assert_int_equal(n, 2);
  assert_ptr_equal(word_list_item("a|bc", 2, &n), NULL);
}

static void nearest_is(const char *word, const char *expected)
{
  struct nearest near = {{0}, 0};
  nearest_offer_list(&near, word, "steps|dt|seed|precision|momentum_every");
  assert_string_equal(near.best, expected);
}

static void the_nearest_word(void **state)
{
  (void)state;
  char hint[96], long_word[200];
  struct nearest near = {{0}, 0};
  nearest_is("stpes", "steps");
  nearest_is("step", "steps");
  nearest_is("sead", "seed");
  nearest_is("momentum-every", "momentum_every");
  nearest_is("presision", "precision");
  nearest_is("temperature", "");
  nearest_is("", "");
  memset(long_word, 'x', sizeof long_word - 1);
  long_word[sizeof long_word - 1] = 0;
  nearest_is(long_word, "");
  assert_string_equal(nearest_text(&near, hint), "");
  nearest_offer(&near, "dt", "dts");
  assert_string_equal(nearest_text(&near, hint), "; did you mean 'dts'?");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reals_are_whole_decimals), cmocka_unit_test(ints_are_exact),
      cmocka_unit_test(reals_come_back),          cmocka_unit_test(words_in_lists),
      cmocka_unit_test(the_nearest_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
