/* The two largest of numbers in any order, some of them equal, against those of the sorted numbers.
 */
#include <math.h>
#include <stdlib.h>

#include "base/largest.h"
#include "tests/support/unit.h"

enum { NUMBERS = 5, VALUES = 4, CASES = 1024 }; /* VALUES^NUMBERS */

static int order(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

/* Adds numbers that are given from one index to another. */
static void add(double two[2], const int *number, int from, int to)
{
  for (int k = from; k < to; k++)
    largest_add(two, number[k]);
}

static void two_largest(void **state)
{
  (void)state;
  for (int c = 0; c < CASES; c++) {
    int number[NUMBERS], rest = c;
    for (int k = 0; k < NUMBERS; k++, rest /= VALUES)
      number[k] = rest % VALUES;
    double all[2] = {0, 0}, part[2] = {0, 0}, other[2] = {0, 0};
    add(all, number, 0, NUMBERS);
    add(part, number, 0, c % NUMBERS);
    add(other, number, c % NUMBERS, NUMBERS);
    for (int k = 0; k < 2; k++)
      largest_add(part, other[k]);
    qsort(number, NUMBERS, sizeof *number, order);
    for (int k = 0; k < 2; k++) {
      assert_true(all[k] == number[NUMBERS - 1 - k]);
      assert_true(part[k] == all[k]);
    }
  }
}

static void few_numbers(void **state)
{
  (void)state;
  double two[2] = {0, 0};
  largest_add(two, 3);
  assert_true(two[0] == 3 && two[1] == 0);
  largest_add(two, (double)NAN);
  assert_true(two[0] == 3 && two[1] == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_largest), cmocka_unit_test(few_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
