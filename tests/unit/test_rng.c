/* Philox against the known answers published with Random123 (kat_vectors), and moments of what is
   drawn from it. */
#include <string.h>

#include "base/rng.h"
#include "tests/support/unit.h"

static void known_answers(void **state)
{
  (void)state;
  static const uint32_t known[][10] = {
      {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
      {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
       0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
      {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
       0x94fdcceb, 0x5001e420, 0x24126ea1}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    const uint32_t *v = known[k];
    struct rng_block b = rng_philox(v[0], v[1], v[2], v[3], v[4], v[5]);
    assert_memory_equal(b.word, v + 6, sizeof b.word);
  }
}

/* Every bit of seed, step (56 bits), id and stream (8 bits) changes the numbers. */
static void every_bit_counts(void **state)
{
  (void)state;
  struct rng_block plain = rng_words(1, 2, 3, 4), other;
  for (int bit = 0; bit < 64; bit++) {
    uint64_t flip = UINT64_C(1) << bit;
    other = rng_words(1 ^ flip, 2, 3, 4);
    assert_memory_not_equal(&plain, &other, sizeof plain);
    other = rng_words(1, 2, 3 ^ flip, 4);
    assert_memory_not_equal(&plain, &other, sizeof plain);
    if (bit >= 56) continue;
    other = rng_words(1, 2 ^ flip, 3, 4);
    assert_memory_not_equal(&plain, &other, sizeof plain);
    if (bit >= 8) continue;
    other = rng_words(1, 2, 3, 4 ^ (uint32_t)flip);
    assert_memory_not_equal(&plain, &other, sizeof plain);
  }
}

enum { DRAWS = 1 << 18, BINS = 64 };

static void uniform_numbers(void **state)
{
  (void)state;
  int count[BINS] = {0};
  double sum = 0, chi2 = 0, u[4];
  for (uint64_t k = 0; k < DRAWS; k++) {
    rng_uniform(7, k, 1, RNG_START, u);
    for (int c = 0; c < 4; c++) {
      assert_true(u[c] > 0 && u[c] < 1);
      sum += u[c];
      count[(int)(u[c] * BINS)]++;
    }
  }
  double n = 4.0 * DRAWS;
  for (int b = 0; b < BINS; b++)
    chi2 += (count[b] - n / BINS) * (count[b] - n / BINS) / (n / BINS);
  assert_true(fabs(sum / n - 0.5) < 5 * sqrt(1 / (12 * n)));
  assert_true(fabs(chi2 - (BINS - 1)) < 5 * sqrt(2.0 * (BINS - 1)));
  assert_true(rng_unit(0) > 0 && rng_unit(UINT32_MAX) < 1);
}

/* Means of x, x^2, x^3, x^4 and of products with the other components, the next step and id. */
static void normal_numbers(void **state)
{
  (void)state;
  double moment[5] = {0}, product[4] = {0}, x[4], step[4], id[4], stream[4];
  static const double want[5] = {0, 0, 1, 0, 3}, variance[5] = {0, 1, 2, 15, 96};
  for (uint64_t k = 0; k < DRAWS; k++) {
    rng_normal(7, k, 1, RNG_LANGEVIN, x);
    rng_normal(7, k + 1, 1, RNG_LANGEVIN, step);
    rng_normal(7, k, 2, RNG_LANGEVIN, id);
    rng_normal(7, k, 1, RNG_LANGEVIN_ROT, stream);
    for (int c = 0; c < 4; c++) {
      double power = 1;
      for (int m = 1; m < 5; m++)
        moment[m] += power *= x[c];
      product[0] += x[c] * x[(c + 1) % 4];
      product[1] += x[c] * step[c];
      product[2] += x[c] * id[c];
      product[3] += x[c] * stream[c];
    }
  }
  double n = 4.0 * DRAWS;
  for (int m = 1; m < 5; m++)
    assert_true(fabs(moment[m] / n - want[m]) < 5 * sqrt(variance[m] / n));
  for (int m = 0; m < 4; m++)
    assert_true(fabs(product[m] / n) < 5 / sqrt(n));
}

/* Words 0, 1, ...; the last ones; those around the edges of the eighths of a turn, where also the
   exponent of the logarithm changes; and others. */
static uint32_t hard_word(uint32_t k)
{
  if (k < 1000) return k;
  if (k < 2000) return 999 - k;
  if (k < 34000) return (k - 2000) % 1000 - 500 + (k - 2000) / 1000 * 0x8000000u;
  return k * 2654435761u;
}

/* Logarithm, sine and cosine against those of the mathematical library in more digits. */
static void functions_of_words(void **state)
{
  (void)state;
  for (uint32_t k = 0; k < 1000000; k++) {
    const uint32_t word = hard_word(k);
    const long double u = ((long double)word + 0.5L) * 0x1p-32L, angle = 8 * atanl(1) * u;
    double sine, cosine;
    rng_turn(word, &sine, &cosine);
    assert_true(fabsl(sine - sinl(angle)) < 3e-16L && fabsl(cosine - cosl(angle)) < 3e-16L);
    assert_true(fabsl(rng_log(word) / logl(u) - 1) < 4e-16L);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answers), cmocka_unit_test(every_bit_counts),
      cmocka_unit_test(functions_of_words), cmocka_unit_test(uniform_numbers),
      cmocka_unit_test(normal_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
