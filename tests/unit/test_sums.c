/* Sums that do not depend on the order of their addends, and the flag for those that do not fit. */
#include <string.h>

#include "base/rng.h"
#include "model/sums.h"
#include "tests/support/unit.h"

enum { PARTS = 5000 };

/* Parts of many sizes and both signs. */
static double addend(int k)
{
  double x[4];
  rng_normal(3, 0, (uint64_t)k, RNG_BUILD, x);
  return x[0] * exp(4 * x[1]);
}

static void order_does_not_matter(void **state)
{
  (void)state;
  struct sums up, down;
  double exact = 0, scale = ldexp(1, sum_bits(PARTS));
  memset(&up, 0, sizeof up);
  memset(&down, 0, sizeof down);
  for (int k = 0; k < PARTS; k++) {
    int other = (k * 7919 + 13) % PARTS; /* a permutation: 7919 is prime */
    exact += addend(k);
    sum_add_energy(&up, 0, addend(k));
    sum_add_energy(&down, 0, addend(other));
    up.word[SUM_VIRIAL] += sum_fixed(addend(k), scale, &up.overflow);
    down.word[SUM_VIRIAL] += sum_fixed(addend(other), scale, &down.overflow);
  }
  assert_memory_equal(&up, &down, sizeof up);
  assert_int_equal(up.overflow, 0);
  assert_true(fabs(sum_energy(&up, 0) - exact) < PARTS * ldexp(1, -SUM_ENERGY_BITS));
  assert_true(fabs(sum_word(&up, SUM_VIRIAL, sum_bits(PARTS)) - exact) < PARTS / scale);
}

/* Sums of parts of the addends, joined. */
static void parts_join(void **state)
{
  (void)state;
  struct sums part[3], joined, whole;
  const double scale = ldexp(1, sum_bits(PARTS));
  memset(part, 0, sizeof part);
  memset(&joined, 0, sizeof joined);
  memset(&whole, 0, sizeof whole);
  for (int k = 0; k < PARTS; k++) {
    struct sums *to[2] = {&part[k % 3], &whole};
    for (int w = 0; w < 2; w++) {
      const double v = k == 7 ? 1e20 : addend(k); /* one does not fit */
      sum_add_energy(to[w], k % ENERGIES, v);
      sum_add(&to[w]->word[k % SUM_WORDS],
              sum_addend(v, scale, &to[w]->overflow, &to[w]->magnitude));
      sum_add(&to[w]->team[k % TEAMS_MOST][k % TEAM_WORDS], k);
    }
  }
  for (int k = 0; k < 3; k++)
    sums_join(&joined, &part[k]);
  assert_memory_equal(&joined, &whole, sizeof whole);
}

/* Two words hold what one could not, of either sign. */
static void energies_are_long(void **state)
{
  (void)state;
  for (int sign = -1; sign <= 1; sign += 2) {
    struct sums s;
    memset(&s, 0, sizeof s);
    for (int k = 0; k < 1000; k++)
      sum_add_energy(&s, 1, sign * (1e8 + 0.25));
    assert_true(sum_energy(&s, 1) == sign * (1e11 + 250));
    assert_int_equal(s.overflow, 0);
  }
}

static void what_does_not_fit_is_flagged(void **state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e30, -1e30, 1e10};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    struct sums s;
    memset(&s, 0, sizeof s);
    sum_add_energy(&s, 0, bad[k]);
    assert_int_equal(s.overflow, 1);
    assert_true(sum_energy(&s, 0) == 0);
    assert_int_equal(sum_fixed(bad[k], 0x1p40, &s.overflow), 0);
    assert_int_equal(s.overflow, 2);
  }
}

/* Addends that fit each, and whose sum does not; of one sign or of both, which may hide each other.
   The sum of the largest that fits in all is right. */
static void sums_that_do_not_fit_are_flagged(void **state)
{
  (void)state;
  const double scale = ldexp(1, sum_bits(PARTS)), most = ldexp(1, 62) / scale / PARTS;
  for (int signs = 1; signs <= 2; signs++)
    for (int over = 0; over < 2; over++) {
      struct sums s;
      double exact = 0;
      memset(&s, 0, sizeof s);
      for (int k = 0; k < PARTS; k++) {
        double v = (k % signs ? -1 : 1) * most * (over ? 1.01 : 0.99);
        s.word[SUM_VIRIAL] += sum_addend(v, scale, &s.overflow, &s.magnitude);
        exact += v;
      }
      assert_int_equal(s.overflow, 0);
      assert_int_equal(sum_overflow(&s), over);
      if (!over)
        assert_true(fabs(sum_word(&s, SUM_VIRIAL, sum_bits(PARTS)) - exact) <= 1e-9 * most * PARTS);
    }
}

/* The bounds that sums.h gives for magnitude, with the largest addends that fit, for any number of
   beads: neither a word nor magnitude itself wraps unnoticed. */
static void magnitude_does_not_wrap(void **state)
{
  (void)state;
  for (int log2 = 0; log2 <= SUM_BEADS_BITS; log2++) {
    const int64_t n = INT64_C(1) << log2;
    const double scale = ldexp(1, sum_bits(n));
    struct sums s;
    memset(&s, 0, sizeof s);
    double addend = fmin(2.0e18 / scale, 1073741824.0) * 0.999999;
    int64_t x = sum_addend(addend, scale, &s.overflow, &s.magnitude);
    assert_true(s.overflow == 0 && x > 0 && s.magnitude == x >> 20);
    double addends = (double)n * (1 + SUM_TERMS_MEAN),
           all = (double)n * (10 + 9 * (1 + SUM_TERMS_MEAN));
    assert_true((double)s.magnitude * all < ldexp(1, 63));
    assert_true(ldexp(1, 20) * (ldexp(1, 42) + addends) <= ldexp(1, 63));
  }
}

/* 2^20 kJ/mol a bead stay below 2^63 for any number of beads. */
static void room_for_every_bead(void **state)
{
  (void)state;
  for (int64_t n = 1; n < INT64_C(1) << 38; n = n * 3 / 2 + 1) {
    double most = (double)n * ldexp(1, sum_bits(n) + 20);
    assert_true(most < ldexp(1, 63));
    assert_true(sum_bits(n) >= sum_bits(2 * n) && sum_bits(n) > 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(order_does_not_matter),
                                     cmocka_unit_test(parts_join),
                                     cmocka_unit_test(energies_are_long),
                                     cmocka_unit_test(what_does_not_fit_is_flagged),
                                     cmocka_unit_test(sums_that_do_not_fit_are_flagged),
                                     cmocka_unit_test(magnitude_does_not_wrap),
                                     cmocka_unit_test(room_for_every_bead)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
