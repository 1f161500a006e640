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

/* |got - want| in units of the last place of want. */
static double units(double got, long double want)
{
  int e;
  frexpl(want, &e);
  return (double)fabsl(ldexpl(got - want, 53 - e));
}

static void accuracy(void **state)
{
  (void)state;
  for (int k = 0; k < NUMBERS; k++) {
    const double a = uniform(), b = uniform(), x = 1390 * a - 685, wide = exp(x),
                 angle = 100 * (b - 0.5);
    assert_true(units(portable_exp(x), expl(x)) < 2);
    assert_true(units(portable_log(wide), logl(wide)) < 2);
    assert_true(units(portable_log(a), logl(a)) < 2);
    assert_true(units(portable_expm1(-a * b), expm1l(-a * b)) < 6);
    assert_true(units(portable_cbrt(wide), cbrtl(wide)) < 2);
    assert_true(units(portable_power(a + 0.1, -6), powl(a + 0.1, -6)) < 6);
    assert_true(units(portable_pow(a, b), powl(a, b)) < 3 - log(a));
    assert_true(units(portable_atan2(a - 0.5, b - 0.5), atan2l(a - 0.5, b - 0.5)) < 4);
    assert_true(fabsl(portable_cos(angle) - cosl(angle)) < 0x1p-52L);
    assert_true(fabsl(portable_sin(angle) - sinl(angle)) < 0x1p-52L);
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
      const float fa = (float)a, fb = (float)b, fc = (float)c[l];
      assert_true(portable_fma(a, b, c[l]) == fma(a, b, c[l]));
      assert_true(portable_fmaf(fa, fb, fc) == fmaf(fa, fb, fc));
      assert_true(portable_fmaf(fa, fb, -(fa * fb)) == fmaf(fa, fb, -(fa * fb)));
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
  assert_true(portable_pow(0, 0.5) == 0 && portable_pow(7, 0) == 1 && portable_pow(2, -3) == 0.125);
  assert_true(portable_cos(0) == 1 && portable_sin(0) == 0 && portable_atan2(0, -1) == acos(-1));
  assert_true(portable_atan2(0, 0) == 0 && portable_atan2(1, 0) == acos(0) &&
              portable_atan2(-1, 1) == -atan(1));
  assert_true(isinf(portable_fma((double)INFINITY, 2, 1)) &&
              isnan(portable_fma((double)NAN, 2, 1)));
  assert_true(isinf(portable_fmaf((float)INFINITY, 2, 1)) &&
              isnan(portable_fmaf(0, 1, (float)NAN)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(accuracy), cmocka_unit_test(fused),
                                     cmocka_unit_test(ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
