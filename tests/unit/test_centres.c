/* Centres of groups: against sums in long double, from any reference, over any ranks; groups that
   are too wide; forces on beads. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "pair/bias_body.h"
#include "tests/support/unit.h"

enum { SHAPES = 200 };

/* Numbers at random in (-1, 1), by a count that goes on. */
static double random_number(void)
{
  static uint64_t count;
  return ((double)rng_words(7, count++, 0, RNG_BUILD).word[0] + 0.5) / 2147483648.0 - 1;
}

static uint64_t random_bits(void)
{
  return (uint64_t)((random_number() + 1) * 0x1p31) << 32 |
         (uint64_t)((random_number() + 1) * 0x1p31);
}

enum { BEADS = 300 };

struct beads_of_group {
  int32_t x[BEADS][3];
  uint32_t residual[BEADS][3];
  int32_t weight[BEADS];
  int64_t total;
  int fine; /* 1: residuals count */
};

/* A group within width boxes of a point. */
static struct beads_of_group random_group(double width)
{
  struct beads_of_group g;
  const uint64_t at[3] = {random_bits(), random_bits(), random_bits()};
  g.total = g.fine = 0;
  for (int i = 0; i < BEADS; i++) {
    g.weight[i] = (int32_t)((random_number() + 1) * 0x1p29);
    g.total += g.weight[i];
    for (int d = 0; d < 3; d++) {
      g.x[i][d] = (int32_t)(uint32_t)((at[d] >> 32) +
                                      (uint64_t)(int64_t)(width * random_number() * 0x1p31));
      g.residual[i][d] = (uint32_t)random_bits();
    }
  }
  return g;
}

/* The sums over `ranks` ranks. */
static void sums(const struct beads_of_group *g, const uint64_t reference[3], int ranks,
                 int64_t word[CENTRE_WORDS])
{
  memset(word, 0, CENTRE_WORDS * sizeof *word);
  for (int r = 0; r < ranks; r++) {
    int64_t own[CENTRE_WORDS] = {0};
    for (int i = r; i < BEADS; i += ranks)
      centre_add(g->x[i], g->fine ? g->residual[i] : NULL, reference, 7, g->weight[i], own);
    for (int w = 0; w < CENTRE_WORDS; w++)
      word[w] += own[w];
  }
}

static void centres(void **state)
{
  (void)state;
  for (int n = 0; n < SHAPES; n++) {
    struct beads_of_group g = random_group(0.3);
    g.fine = n % 2;
    int64_t word[CENTRE_WORDS];
    uint64_t place[3];
    uint64_t first[3];
    for (int d = 0; d < 3; d++)
      first[d] = (uint64_t)(uint32_t)g.x[0][d] << 32;
    sums(&g, first, 1 + n % 4, word);
    assert_int_equal(word[CENTRE_WIDE], 0);
    for (int d = 0; d < 3; d++) {
      place[d] = centre_place(word, d, g.total, first);
      long double exact = 0;
      for (int i = 0; i < BEADS; i++)
        exact +=
            (long double)g.weight[i] * (torus_difference(g.x[i][d], g.x[0][d]) +
                                        (g.fine ? (long double)g.residual[i][d] * 0x1p-32L : 0));
      exact /= (long double)g.total;
      const int64_t away = (int64_t)(place[d] - first[d]);
      assert_true(fabsl((long double)away * 0x1p-32L - exact) < 1e-8L);
    }
    for (int other = 0; other < 4; other++) {
      uint64_t reference[3];
      for (int d = 0; d < 3; d++)
        reference[d] = place[d] + (uint64_t)(int64_t)(0.15 * random_number() * 0x1p63);
      sums(&g, reference, 1 + other, word);
      for (int d = 0; d < 3; d++)
        assert_true(centre_place(word, d, g.total, reference) == place[d]);
    }
  }
}

/* The largest sums that are possible: no bit is lost. */
static void largest_sums(void **state)
{
  (void)state;
  const int64_t most = INT64_C(1) << 31;
  for (int sign = -1; sign <= 1; sign += 2) {
    const int32_t x[3] = {sign > 0 ? INT32_MAX : INT32_MIN, 0, 0};
    const uint64_t zero[3] = {0, 0, 0};
    int64_t word[CENTRE_WORDS] = {0};
    centre_add(x, NULL, zero, 1, CENTRE_WEIGHT, word);
    assert_int_equal(word[CENTRE_WIDE], 1);
    word[0] *= most;
    word[1] *= most;
    const uint64_t want = (uint64_t)(int64_t)x[0] << 32;
    assert_true(centre_place(word, 0, most * CENTRE_WEIGHT, zero) == want);
  }
}

/* A group that has become nearly as wide as half the box each way is told. */
static void wide(void **state)
{
  (void)state;
  const uint64_t zero[3] = {0, 0, 0};
  for (int reads = 0; reads < 8; reads++) {
    const int32_t x[3] = {INT32_C(0x7a000000), 5, INT32_C(-0x7a000000)};
    int64_t word[CENTRE_WORDS] = {0};
    centre_add(x, NULL, zero, reads, 1, word);
    assert_int_equal(word[CENTRE_WIDE], (reads & 5) != 0);
    for (int d = 0; d < 3; d++)
      if (!(reads >> d & 1)) assert_true(word[2 * d] == 0 && word[2 * d + 1] == 0);
  }
}

/* Forces on beads add up to that of the group. */
static void shares(void **state)
{
  enum { TYPES = 3 };
  const int32_t weight[2 * TYPES] = {CENTRE_WEIGHT, CENTRE_WEIGHT / 3, 0,
                                     CENTRE_WEIGHT, CENTRE_WEIGHT,     CENTRE_WEIGHT};
  static struct bias_set set;
  static struct bias_state now;
  const int32_t x[3] = {0, 0, 0};
  double f[3] = {0, 0, 0};
  (void)state;
  set.n_centres = 2;
  set.total[0] = 5LL * weight[0] + 4LL * weight[1];
  set.total[1] = 7LL * CENTRE_WEIGHT;
  for (int d = 0; d < 3; d++) {
    now.centre_force[0][d] = 3 + d;
    now.centre_force[1][d] = -20;
  }
  for (int i = 0; i < 5; i++)
    centre_force_add(&set, &now, NULL, weight, TYPES, 1, 0, x, f);
  for (int i = 0; i < 4; i++)
    centre_force_add(&set, &now, NULL, weight, TYPES, 3, 1, x, f);
  for (int i = 0; i < 3; i++)
    centre_force_add(&set, &now, NULL, weight, TYPES, 2, 2, x, f);
  for (int d = 0; d < 3; d++)
    assert_true(fabs(f[d] - (3 + d - 20)) < 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(centres), cmocka_unit_test(largest_sums),
                                     cmocka_unit_test(wide), cmocka_unit_test(shares)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
