/* What takes long between two steps, on one rank, ends nobody; nor does a slow first step. */
#include "agree.h"

#include <unistd.h>

#include "heartbeat.h"

static struct ranks ranks;
static const double seconds = 2; /* the timeout */

static void step(unsigned sleeping)
{
  heartbeat_step_begin(&ranks);
  for (unsigned left = sleeping; left > 0;)
    left = sleep(left);
  ranks_barrier(&ranks);
  heartbeat_step_end(&ranks);
}

static void is_patient(void **state)
{
  (void)state;
  struct heartbeat *h = heartbeat_open(&ranks, seconds);
  assert_int_equal(h != NULL, ranks.size > 1);
  step(ranks.size == 3 && ranks.rank == 1 ? 4 : 0);
  for (int k = 0; k < 10; k++)
    step(0);
  if (ranks.size == 3 && ranks.rank == 0) sleep(5); /* as a slow file does */
  step(0);
  heartbeat_close(h);
}

static void can_be_left_out(void **state)
{
  (void)state;
  assert_null(heartbeat_open(&ranks, 0));
  heartbeat_close(NULL);
}

static void opens_again(void **state)
{
  (void)state;
  for (int k = 0; k < 5; k++)
    heartbeat_close(heartbeat_open(&ranks, 60));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(is_patient),
                                     cmocka_unit_test(can_be_left_out),
                                     cmocka_unit_test(opens_again)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  ranks_close(&ranks);
  return failed;
}
