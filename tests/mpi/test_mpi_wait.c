/* When waits give the core away, and that a waiting rank then uses almost no processor time. */
#define _GNU_SOURCE /* CPU_COUNT */
#include "mpi/comm/wait.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "mpi/comm/implementation.h"
#include "mpi/comm/ranks_mpi.h"

#include "tests/support/agree.h"

static struct ranks ranks;

/* Sets an environment variable; value NULL, or no name: it is not set. */
static void put(const char *name, const char *value)
{
  if (!name) return;
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

/* wait_choose with these values in the environment; NULL: not set. */
static int choose(const char *yield, const char *crowded, int local, const char *bound)
{
  const struct implementation *mpi = implementation();
  char number[16];
  snprintf(number, sizeof number, "%d", local);
  put(mpi->yield, yield);
  put(mpi->crowded, crowded);
  put(mpi->local_size, local ? number : NULL);
  put(mpi->bound, bound);
  put(mpi->silent, NULL);
  return wait_choose();
}

static void choice(void **state)
{
  (void)state;
  const struct implementation *mpi = implementation();
  cpu_set_t set;
  assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
  int cores = CPU_COUNT(&set);
  if (cores < sysconf(_SC_NPROCESSORS_ONLN)) skip();
  assert_int_equal(choose(NULL, "0", cores, NULL), WAIT_UNKNOWN);
  assert_null(getenv(mpi->yield));
  assert_int_equal(choose(NULL, "0", cores + 1, NULL), 1);
  if (mpi->yields) assert_string_equal(getenv(mpi->yield), mpi->yields);
  if (mpi->bound) assert_int_equal(choose(NULL, "0", cores + 1, "1"), WAIT_UNKNOWN);
  assert_int_equal(choose(NULL, "1", 1, NULL), mpi->crowded ? 1 : WAIT_UNKNOWN);
  assert_int_equal(choose(NULL, NULL, 0, NULL), WAIT_UNKNOWN);
  assert_int_equal(choose("0", "1", cores + 1, NULL), 0);
  assert_int_equal(choose("1", "0", 1, NULL), 1);
  if (!mpi->silent) return;
  /* Each rank has a core of its own, but the launcher does not say so. */
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)sched_getcpu(), &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_int_equal(choose(NULL, "0", cores, NULL), cores > 1 ? 1 : WAIT_UNKNOWN);
  put(mpi->yield, NULL);
  put(mpi->silent, "5.0.7");
  assert_int_equal(wait_choose(), WAIT_UNKNOWN);
  put(mpi->silent, NULL);
  assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

/* The ranks that share cores, after MPI_Init: each bound to a core of its own, or all to one. */
static void shared_cores(void **state)
{
  (void)state;
  cpu_set_t before, set;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  const int cores = CPU_COUNT(&before);
  const MPI_Comm all = ranks_comm(&ranks);
  assert_int_equal(wait_chosen(WAIT_UNKNOWN, all, all), ranks.size > cores);
  assert_int_equal(wait_chosen(0, all, all), 0);
  assert_int_equal(wait_chosen(ranks.rank == ranks.size - 1, all, all), 1);
  for (int same = 0; same < 2; same++) {
    int at = same ? 0 : ranks.rank % cores;
    size_t cpu = 0;
    while (!CPU_ISSET(cpu, &before) || at-- > 0)
      cpu++;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
    assert_int_equal(wait_chosen(WAIT_UNKNOWN, all, all), ranks.size > (same ? 1 : cores));
  }
  sched_setaffinity(0, sizeof before, &before);
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(cheap), cmocka_unit_test(choice),
                                     cmocka_unit_test(shared_cores)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
