/* Block averages: means, errors and variance of series whose values are known, errors of functions
   of means, saving and loading. */
#include "observe/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "tests/support/unit.h"

/* An autoregressive series x(n) = a x(n-1) + sqrt(1 - a^2) noise: mean 0, variance 1, and
   (1 + a)/(1 - a)/n as the square of the error of its mean. */
static double next(double x, double a, int64_t n)
{
  double noise[4];
  rng_normal(7, (uint64_t)n, 1, 3, noise);
  return a * x + sqrt(1 - a * a) * noise[0];
}

static void same(const void *argument, const double *mean, double *result)
{
  (void)argument;
  result[0] = mean[0];
}

/* Fluctuation: <x^2> - <x>^2. */
static void variance(const void *argument, const double *mean, double *result)
{
  (void)argument;
  result[0] = mean[1] - mean[0] * mean[0];
}

static void both(const void *argument, const double *mean, double *result)
{
  (void)argument;
  result[0] = mean[0];
  result[1] = mean[1] / 3 + 2 * mean[0];
}

static void fill(struct blocks *b, double a, int64_t from, int64_t to, double *x)
{
  for (int64_t n = from; n < to; n++) {
    *x = next(*x, a, n);
    const double value[2] = {*x, *x * *x};
    blocks_add(b, value);
  }
}

static void test_errors(void **state)
{
  static const double a[] = {0, 0.5, 0.95};
  enum { SAMPLES = 400000 };
  (void)state;
  for (int k = 0; k < 3; k++) {
    struct blocks b;
    double x = 0, mean[2], error, fluctuation, spread;
    blocks_open(&b, 2);
    fill(&b, a[k], 0, SAMPLES, &x);
    const double expected = sqrt((1 + a[k]) / (1 - a[k]) / SAMPLES);
    blocks_mean(&b, mean);
    blocks_errors(&b, same, NULL, 1, &error);
    blocks_errors(&b, variance, NULL, 1, &spread);
    variance(NULL, mean, &fluctuation);
    assert_true(fabs(mean[0]) < 4 * expected);
    assert_true(error > 0.75 * expected && error < 1.5 * expected);
    assert_true(fabs(blocks_variance(&b, 0) - fluctuation) < 1e-4);
    /* The square of the error of the variance is 2 (1 + a^2)/(1 - a^2)/n. */
    const double of_variance = sqrt(2 * (1 + a[k] * a[k]) / (1 - a[k] * a[k]) / SAMPLES);
    assert_true(fabs(fluctuation - 1) < 4 * of_variance);
    assert_true(spread > 0.75 * of_variance && spread < 1.5 * of_variance);
    blocks_close(&b);
  }
}

/* Sums are those of all samples for every number of them, and too few give no error. */
static void test_doubling(void **state)
{
  struct blocks b;
  (void)state;
  blocks_open(&b, 1);
  for (int n = 1; n <= 3 * BLOCKS + 5; n++) {
    const double value = n;
    double mean, error;
    blocks_add(&b, &value);
    blocks_mean(&b, &mean);
    assert_true(mean == (n + 1) / 2.0);
    assert_true(b.n <= BLOCKS && b.n * b.length >= n && (b.n - 1) * b.length < n);
    if (n != BLOCKS_LEAST - 1 && n != BLOCKS_LEAST) continue;
    blocks_errors(&b, same, NULL, 1, &error);
    assert_int_equal(isnan(error) != 0, n < BLOCKS_LEAST);
    /* Eight samples 1 ... 8: s/sqrt(8), s^2 = 6. */
    if (n == BLOCKS_LEAST) assert_true(fabs(error - sqrt(6.0 / 8)) < 1e-12);
  }
  blocks_close(&b);
}

static void test_saved(void **state)
{
  struct blocks whole, first, second;
  double x = 0, y = 0;
  (void)state;
  blocks_open(&whole, 2);
  blocks_open(&first, 2);
  blocks_open(&second, 2);
  fill(&whole, 0.5, 0, 1000, &x);
  fill(&first, 0.5, 0, 333, &y);
  const int64_t n = blocks_saved(&first);
  double *saved = malloc((size_t)n * sizeof *saved);
  assert_non_null(saved);
  blocks_save(&first, saved);
  assert_int_equal(blocks_load(&second, saved, n - 1), 0);
  assert_int_equal(blocks_load(&second, saved, n), 1);
  fill(&second, 0.5, 333, 1000, &y);
  assert_int_equal(second.n, whole.n);
  assert_memory_equal(second.sum, whole.sum, (size_t)BLOCKS * 2 * sizeof *whole.sum);
  assert_memory_equal(second.square, whole.square, 2 * sizeof *whole.square);
  saved[1] = BLOCKS + 1;
  assert_int_equal(blocks_load(&second, saved, n), 0);
  free(saved);
  blocks_close(&whole);
  blocks_close(&first);
  blocks_close(&second);
}

/* Numbers that never change, and what follows from them, have the error 0; those that change in
   their last digits that a user can see have one. */
static void test_constants(void **state)
{
  static const double constant[] = {19, 0.1, 1e9 / 3, -7.3e-8, 0};
  (void)state;
  for (size_t c = 0; c < sizeof constant / sizeof constant[0]; c++)
    for (int moving = 0; moving < 2; moving++) {
      struct blocks b;
      double error[2];
      blocks_open(&b, 2);
      for (int k = 0; k < 301; k++) {
        const double x = constant[c] * (1 + (moving ? 1e-9 * (k % 7) : 0));
        blocks_add(&b, (double[]){x, 3 * x});
      }
      blocks_errors(&b, both, NULL, 2, error);
      for (int r = 0; r < 2; r++)
        assert_int_equal(error[r] == 0, !moving || constant[c] == 0);
      blocks_close(&b);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_doubling),
      cmocka_unit_test(test_saved),
      cmocka_unit_test(test_constants),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
