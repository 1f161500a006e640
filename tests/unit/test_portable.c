/* Functions with the same bits on every machine: against those of long double, and fused products
   against fma; values at the ends. */
#include <math.h>

#include "base/portable.h"
#include "base/portable_fma.h"
#include "base/rng.h"
#include "tests/support/unit.h"

enum { NUMBERS = 20000 };

static double uniform(void)
{
  static uint64_t count;
  return rng_unit(rng_words(11, count++, 0, RNG_BUILD).word[0]);
}

/* A number with as many in each power of ten from low to high, of either sign. */
static double wide(double low, double high)
{
  const double u = uniform(), x = pow(low, 1 - u) * pow(high, u);
  return uniform() < 0.5 ? -x : x;
}

/* |got - want| in units of the last place of want. */
static double units(double got, long double want)
{
  int e;
  frexpl(want, &e);
  return (double)fabsl(ldexpl(got - want, 53 - e));
}

/* Errors in units of the last place, over all that the program gives the functions: also numbers
   near 0 and 1, and up to where results are too large or too small. */
static void accuracy(void **state)
{
  (void)state;
  for (int k = 0; k < NUMBERS; k++) {
    const double x = wide(1e-20, 689), y = wide(1e-18, 1e6), z = fabs(wide(1e-280, 1e280)),
                 near = 1 + wide(1e-15, 0.7), base = fabs(wide(1e-2, 1e2)), a = wide(1e-20, 40),
                 power = 3 * (2 * uniform() - 1);
    const int n = (int)(29 * uniform()) - 14;
    assert_true(units(portable_exp(x), expl(x)) < 0.95);
    assert_true(units(portable_log(z), logl(z)) < 0.95);
    assert_true(units(portable_log(near), logl(near)) < 0.95);
    assert_true(units(portable_expm1(-a), expm1l(-a)) < 4);
    assert_true(units(portable_power(base, n), powl(base, n)) < 0.51);
    assert_true(units(portable_power(-base, n), powl(-base, n)) < 0.51);
    assert_true(units(portable_pow(base, power), powl(base, power)) <
                2 + 2 * fabs(power * log(base)));
    assert_true(units(portable_cbrt(z), cbrtl(z)) < 0.51);
    assert_true(units(portable_sin(y), sinl(y)) < 2);
    assert_true(units(portable_cos(y), cosl(y)) < 2);
    assert_true(units(portable_atan2(x, y), atan2l(x, y)) < 3);
    assert_true(units(portable_atan2(a, a * near), atan2l(a, a * near)) < 3);
    assert_true(portable_binary_places(z) == ceill(log2l(z)));
  }
}

/* Products and sums that cancel, also in all but the last places, and halves of a last place. */
static void fused(void **state)
{
  (void)state;
  for (int k = 0; k < 50 * NUMBERS; k++) {
    const double a = ldexp(uniform() - 0.5, (int)(40 * uniform())), b = uniform() - 0.5;
    const double c[] = {uniform() - 0.5, -(a * b),      -(a * b) * (1 + 0x1p-52),
                        ldexp(a, 60),    ldexp(b, -60), ldexp(1, k % 200 - 100)};
    for (int l = 0; l < 6; l++) {
      assert_true(portable_fma(a, b, c[l]) == fma(a, b, c[l]));
    }
  }
}

static void ends(void **state)
{
  (void)state;
  assert_true(portable_exp(0) == 1 && portable_exp(-(double)INFINITY) == 0 &&
              portable_exp(-691) == 0);
  assert_true(isinf(portable_exp(710)) && isnan(portable_exp((double)NAN)));
  assert_true(portable_log(1) == 0 && portable_log(0) == -(double)INFINITY &&
              isnan(portable_log(-1)));
  assert_true(isinf(portable_log((double)INFINITY)) && isnan(portable_log((double)NAN)));
  assert_true(portable_expm1(0) == 0 && portable_expm1(-800) == -1 &&
              portable_expm1(1e-300) == 1e-300);
  assert_true(portable_cbrt(0) == 0 && portable_cbrt(27) == 3 &&
              isinf(portable_cbrt((double)INFINITY)));
  assert_true(portable_power(0, 0) == 1 && portable_power(0, 6) == 0 &&
              isinf(portable_power(0, -6)) && isinf(portable_power(1e200, 2)) &&
              portable_power(1e200, -2) == 0 && portable_power(3, 12) == 531441);
  assert_true(portable_binary_places(1) == 0 && portable_binary_places(1024) == 10 &&
              portable_binary_places(1025) == 11);
  assert_true(isnan(portable_atan2(0, (double)NAN)) && isnan(portable_atan2((double)NAN, 0)));
  assert_true(portable_pow(0, 0.5) == 0 && portable_pow(7, 0) == 1 && portable_pow(2, -3) == 0.125);
  assert_true(portable_cos(0) == 1 && portable_sin(0) == 0 && portable_atan2(0, -1) == acos(-1));
  assert_true(portable_atan2(0, 0) == 0 && portable_atan2(1, 0) == acos(0) &&
              portable_atan2(-1, 1) == -atan(1));
  assert_true(isinf(portable_fma((double)INFINITY, 2, 1)) &&
              isnan(portable_fma((double)NAN, 2, 1)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(accuracy), cmocka_unit_test(fused),
                                     cmocka_unit_test(ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
