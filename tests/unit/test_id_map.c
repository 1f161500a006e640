/* The map from ids to local indices against what was put in. */
#include <string.h>

#include "base/id_map.h"
#include "base/parallel_loop.h"
#include "tests/support/unit.h"

enum { IDS = 3000 };

static void holds_what_was_put(void **state)
{
  (void)state;
  static const int64_t stride[] = {1, 3, 1 << 20, INT64_C(1) << 40, INT64_C(0x9E3779B97F4A7)};
  struct id_map m;
  memset(&m, 0, sizeof m);
  for (size_t s = 0; s < sizeof stride / sizeof *stride; s++) {
    id_map_reset(&m, IDS);
    for (int k = 1; k <= IDS; k++)
      id_map_put(&m, k * stride[s], k);
    for (int k = 1; k <= IDS; k++)
      assert_int_equal(id_map_get(&m, k * stride[s]), k);
    assert_int_equal(id_map_get(&m, (IDS + 1) * stride[s]), -1);
    assert_int_equal(id_map_get(&m, -stride[s]), -1);
  }
  id_map_free(&m);
}

static void forgets_and_replaces(void **state)
{
  (void)state;
  struct id_map m;
  memset(&m, 0, sizeof m);
  id_map_reset(&m, 0);
  assert_int_equal(id_map_get(&m, 5), -1);
  id_map_put(&m, 5, 1);
  id_map_put(&m, 5, 2);
  assert_int_equal(id_map_get(&m, 5), 2);
  id_map_reset(&m, 10000); /* grows */
  assert_int_equal(id_map_get(&m, 5), -1);
  id_map_put(&m, 5, 3);
  id_map_reset(&m, 1); /* keeps its room */
  assert_int_equal(id_map_get(&m, 5), -1);
  id_map_free(&m);
}

static int put_new(void *of, int begin, int end, int thread)
{
  (void)thread;
  for (int k = begin; k < end; k++)
    id_map_put_new(of, (k + 1) * INT64_C(0x100001), k);
  return end;
}

static void threads_put_at_once(void **state)
{
  (void)state;
  struct id_map m;
  memset(&m, 0, sizeof m);
  for (int time = 0; time < 20; time++) {
    id_map_reset(&m, IDS);
    parallel_loop(parallel_threads_most() > 1 ? 4 : 1, IDS, 1, put_new, &m);
    for (int k = 0; k < IDS; k++)
      assert_int_equal(id_map_get(&m, (k + 1) * INT64_C(0x100001)), k);
  }
  id_map_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(holds_what_was_put),
                                     cmocka_unit_test(forgets_and_replaces),
                                     cmocka_unit_test(threads_put_at_once)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
