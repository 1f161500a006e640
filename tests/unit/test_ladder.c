/* The ladder of replicas: which pairs are tried, how often they are exchanged, that every rung has
   one replica, round trips against a count from the list of rungs, and numbers of files. */
#include <math.h>
#include <string.h>

#include "model/ladder.h"
#include "tests/support/unit.h"

enum { RUNGS = 6, ATTEMPTS = 20000 };

static int is_whole(const struct ladder *l)
{
  int has = 0;
  for (int k = 0; k < l->n; k++)
    has |= 1 << l->rung[k];
  return has == (1 << l->n) - 1;
}

/* Energies that do not change: the chance of a pair is known, and its count binomial. */
static void test_chances(void **state)
{
  struct ladder l;
  struct reduced_energies u[RUNGS];
  double chance[RUNGS];
  (void)state;
  ladder_begin(&l, RUNGS);
  for (int k = 0; k < RUNGS; k++)
    u[k] = (struct reduced_energies){0.7, 0.2, 0.9};
  const double exact = exp((0.2 - 0.9) + (0.2 - 0.7));
  for (int a = 0; a < ATTEMPTS; a++) {
    ladder_attempt(&l, a, 5, 10 * a, u, chance);
    for (int k = 0; k < RUNGS - 1; k++)
      assert_true(k % 2 == a % 2 ? fabs(chance[k] - exact) < 1e-14 : isnan(chance[k]));
    assert_true(is_whole(&l));
  }
  for (int k = 0; k < RUNGS - 1; k++) {
    const double n = ATTEMPTS / 2.0, off = (double)l.accepted[k] - n * exact;
    assert_int_equal(l.tried[k], ATTEMPTS / 2);
    assert_true(fabs(off) < 5 * sqrt(n * exact * (1 - exact)));
  }
}

/* Lower energies at the other rung: always exchanged. NaN: never. */
static void test_sure(void **state)
{
  const struct reduced_energies gains = {0, 1, 0}, broken = {(double)NAN, 1, 0};
  struct reduced_energies u[2] = {gains, gains};
  struct ladder l;
  double chance[2];
  (void)state;
  ladder_begin(&l, 2);
  ladder_attempt(&l, 0, 1, 0, u, chance);
  assert_true(l.rung[0] == 1 && chance[0] == 1);
  ladder_attempt(&l, 1, 1, 1, u, chance);
  assert_true(l.rung[0] == 1 && isnan(chance[0]));
  u[0] = broken;
  u[1] = broken;
  for (int a = 0; a < 100; a += 2)
    ladder_attempt(&l, a, 1, a, u, chance);
  assert_true(l.rung[0] == 1 && l.tried[0] == 51 && l.accepted[0] == 1);
}

/* First, last and first rung again is a trip; what comes before the first visit of the first rung
   is none. The numbers go to a file and back in between. */
static void test_trips(void **state)
{
  struct ladder l;
  struct reduced_energies u[RUNGS];
  double chance[RUNGS], numbers[LADDER_NUMBERS * RUNGS];
  int last[RUNGS] = {0}; /* 1: was at the first rung, 2: then at the last */
  int64_t trips[RUNGS] = {0}, sum = 0;
  (void)state;
  memset(u, 0, sizeof u);
  ladder_begin(&l, RUNGS);
  last[0] = 1;
  for (int a = 0; a < 500; a++) {
    for (int k = 0; k < RUNGS; k++)
      u[k].above = 0.3 * (a % 3);
    ladder_attempt(&l, a, 77, a, u, chance);
    for (int k = 0; k < RUNGS; k++) {
      trips[k] += l.rung[k] == 0 && last[k] == 2;
      if (l.rung[k] == 0) last[k] = 1;
      if (l.rung[k] == RUNGS - 1 && last[k] == 1) last[k] = 2;
      assert_int_equal(l.trips[k], trips[k]);
    }
    ladder_save(&l, numbers);
    ladder_begin(&l, RUNGS);
    assert_true(ladder_restore(&l, numbers));
  }
  for (int k = 0; k < RUNGS; k++)
    sum += trips[k];
  assert_true(sum > 20);
}

static void test_refused(void **state)
{
  struct ladder l, same;
  double good[LADDER_NUMBERS * RUNGS], bad[LADDER_NUMBERS * RUNGS];
  const double wrong[] = {1, -1, RUNGS, 0.5, (double)NAN, 1e300};
  (void)state;
  ladder_begin(&l, RUNGS);
  ladder_save(&l, good);
  for (int k = 0; k < 6; k++) {
    memcpy(bad, good, sizeof bad);
    bad[0] = wrong[k];
    same = l;
    assert_false(ladder_restore(&same, bad));
    assert_memory_equal(&same, &l, sizeof l);
  }
  memcpy(bad, good, sizeof bad);
  bad[3] = -1;
  assert_false(ladder_restore(&l, bad));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_chances), cmocka_unit_test(test_sure),
                                     cmocka_unit_test(test_trips), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
