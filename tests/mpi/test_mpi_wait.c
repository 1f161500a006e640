/* When waits give the core away, and that a waiting rank then uses almost no processor time. */
#define _GNU_SOURCE /* CPU_COUNT */
#include "mpi/comm/wait.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/support/agree.h"

static struct ranks ranks;

/* wait_choose with these values in the environment; NULL: not set. */
static int choose(const char *yield, const char *oversubscribe, int local, const char *bound)
{
  const char *name[] = {"OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_mpi_oversubscribe",
                        "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_MCA_orte_bound_at_launch"};
  char number[16];
  snprintf(number, sizeof number, "%d", local);
  const char *value[] = {yield, oversubscribe, local ? number : NULL, bound};
  for (int k = 0; k < 4; k++)
    if (value[k])
      setenv(name[k], value[k], 1);
    else
      unsetenv(name[k]);
  return wait_choose();
}

static void choice(void **state)
{
  (void)state;
  cpu_set_t set;
  assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
  int cores = CPU_COUNT(&set);
  assert_int_equal(choose(NULL, "0", cores, NULL), 0);
  assert_null(getenv("OMPI_MCA_mpi_yield_when_idle"));
  assert_int_equal(choose(NULL, "0", cores + 1, NULL), 1);
  assert_string_equal(getenv("OMPI_MCA_mpi_yield_when_idle"), "1");
  assert_int_equal(choose(NULL, "0", cores + 1, "1"), 0);
  assert_int_equal(choose(NULL, "1", 1, NULL), 1);
  assert_int_equal(choose(NULL, NULL, 0, NULL), 0);
  assert_int_equal(choose("0", "1", cores + 1, NULL), 0);
  assert_int_equal(choose("1", "0", 1, NULL), 1);
}

static double processor_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void maximum(void)
{
  double two[2] = {ranks.rank, 0};
  ranks_largest_start(&ranks, two);
  ranks_largest_finish(&ranks, two);
  assert_true(two[0] == ranks.size - 1);
}

static void sum(void)
{
  int64_t n = 1;
  ranks_sum_int64(&ranks, &n, 1);
  assert_int_equal(n, ranks.size);
}

static void all_to_all(void)
{
  int64_t *n = calloc(2 * (size_t)ranks.size, sizeof *n);
  ranks_counts(&ranks, n, n + ranks.size);
  free(n);
}

static void broadcast(void)
{
  int64_t n = ranks.rank;
  ranks_broadcast(&ranks, &n, sizeof n);
  assert_int_equal(n, 0);
}

static void before(void)
{
  assert_int_equal(ranks_before(&ranks, 2), 2 * ranks.rank);
}

static void barrier(void)
{
  ranks_barrier(&ranks);
}

/* The last rank comes 0.3 s late. */
static void cheap(void **state)
{
  (void)state;
  void (*const call[])(void) = {maximum, sum, all_to_all, broadcast, before, barrier};
  const struct timespec late = {0, 300000000};
  ranks.gives_core = 1;
  for (size_t k = 0; k < sizeof call / sizeof *call; k++) {
    ranks_barrier(&ranks);
    if (ranks.rank == ranks.size - 1) nanosleep(&late, NULL);
    double from = processor_time();
    call[k]();
    AGREE(&ranks, processor_time() - from < 0.1);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(cheap), cmocka_unit_test(choice)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
