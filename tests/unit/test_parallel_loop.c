/* Loops of several threads: each item once, numbers of threads that nobody shares, failures. */
#include <string.h>
#include <unistd.h>

#include "base/parallel_loop.h"
#include "tests/support/unit.h"

enum { ITEMS = 1000, LEAST = 7, THREADS = 3 };

struct seen {
  int times[ITEMS], calls[THREADS], busy[THREADS];
  int shared; /* 1: a number was used by two at once */
  int wait;   /* us of a call */
  int bad[2]; /* items that fail; -1: none */
};

static int body(void *of, int begin, int end, int thread)
{
  struct seen *s = of;
  assert_in_range(thread, 0, THREADS - 1);
  if (__atomic_exchange_n(&s->busy[thread], 1, __ATOMIC_SEQ_CST)) s->shared = 1;
  s->calls[thread]++;
  if (s->wait) usleep((useconds_t)s->wait);
  int i = begin;
  for (; i < end && i != s->bad[0] && i != s->bad[1]; i++)
    s->times[i]++;
  __atomic_store_n(&s->busy[thread], 0, __ATOMIC_SEQ_CST);
  return i;
}

static struct seen loop(int threads, int n, int wait, int bad, int other, int *first)
{
  struct seen s;
  memset(&s, 0, sizeof s);
  s.wait = wait;
  s.bad[0] = bad;
  s.bad[1] = other;
  *first = parallel_loop(threads, n, LEAST, body, &s);
  assert_false(s.shared);
  return s;
}

static void each_item_once(void **state)
{
  (void)state;
  for (int threads = 1; threads <= THREADS; threads++)
    for (int n = 0; n <= ITEMS; n += n < 50 ? 1 : 475) {
      int first;
      const struct seen s = loop(threads, n, 0, -1, -1, &first);
      assert_int_equal(first, n);
      for (int i = 0; i < ITEMS; i++)
        assert_int_equal(s.times[i], i < n);
    }
}

static void all_threads_work(void **state)
{
  (void)state;
  int first;
  const struct seen s = loop(THREADS, ITEMS, 2000, -1, -1, &first);
  if (parallel_threads_most() == 1) return;
  for (int k = 0; k < THREADS; k++)
    assert_true(s.calls[k] > 0);
}

/* One thread, and a loop that is not worth two chunks, are one call. */
static void short_loops_are_one_call(void **state)
{
  (void)state;
  int first;
  assert_int_equal(loop(1, ITEMS, 0, -1, -1, &first).calls[0], 1);
  assert_int_equal(loop(THREADS, LEAST, 0, -1, -1, &first).calls[0], 1);
}

static void the_first_failure_counts(void **state)
{
  (void)state;
  for (int threads = 1; threads <= THREADS; threads++)
    for (int bad = 0; bad < ITEMS; bad += 333) {
      int first;
      loop(threads, ITEMS, 0, bad, ITEMS - 1, &first);
      assert_int_equal(first, bad);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_item_once), cmocka_unit_test(all_threads_work),
      cmocka_unit_test(short_loops_are_one_call), cmocka_unit_test(the_first_failure_counts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
