/* What takes long between two steps, on one rank, ends nobody, wherever the others wait; nor does a
   slow first step, or a network of the heartbeat that fails while MPI works. */
#define _GNU_SOURCE /* syscall */
#include "tests/support/agree.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpi/comm/heartbeat.h"

static struct ranks ranks;
static const double seconds = 2; /* the timeout */
static atomic_int mute, late;    /* beats are lost; how long the next takes to send, us */
static _Atomic double idlest;    /* the largest struct beat.idle that was sent, s */

/* Takes the place of that of the C library: what is as long as a beat is seen, and gets lost. */
ssize_t send(int file, const void *data, size_t size, int flags)
{
  enum { LEAST = 400, MOST = 420, IDLE = 392 };
  if (size >= LEAST && size <= MOST) {
    double idle;
    memcpy(&idle, (const char *)data + IDLE, sizeof idle);
    if (idle > atomic_load(&idlest)) atomic_store(&idlest, idle);
    if (atomic_load(&mute)) return (ssize_t)size;
    usleep((useconds_t)atomic_exchange(&late, 0));
  }
  return syscall(SYS_sendto, file, data, size, flags, NULL, 0);
}

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
  if (ranks.size == 3 && ranks.rank == 1) sleep(5);
  ranks_barrier(&ranks);
  step(0);
  heartbeat_close(h);
}

/* Seconds for which all ranks say that they go on. */
static void steps_for(double length)
{
  double start = ranks_time(), passed;
  do {
    step(0);
    usleep(10000);
    passed = ranks_time() - start;
    ranks_max_double(&ranks, &passed, 1);
  } while (passed < length);
}

static void needs_no_network(void **state)
{
  (void)state;
  if (ranks.size < 2) return;
  struct heartbeat *h = heartbeat_open(&ranks, seconds);
  assert_non_null(h);
  steps_for(0.2);
  atomic_store(&mute, ranks.rank == 0);
  steps_for(2.5 * seconds);
  atomic_store(&mute, 0);
  steps_for(0.5 * seconds);
  heartbeat_close(h);
}

/* That a rank works comes to all others at once, not with the next beats, which the ranks send at
   different times here: rank 2 a little before its neighbours. */
static void passes_work_on(void **state)
{
  (void)state;
  if (ranks.size < 2) return;
  struct heartbeat *h = heartbeat_open(&ranks, 60); /* a period of a second */
  static const int shift[] = {0, 1500000, 2400000, 1500000};
  atomic_store(&late, shift[ranks.rank % 4]);
  steps_for(3.6);
  atomic_store(&idlest, 0);
  step(ranks.rank == 0 ? 3 : 0);
  double most = atomic_load(&idlest);
  ranks_max_double(&ranks, &most, 1);
  AGREE(&ranks, most < 1.25);
  heartbeat_close(h);
}

/* The end of a wait of the GPU: see transport_links.c. */
static void knows_who_watches(void **state)
{
  (void)state;
  struct heartbeat *h = heartbeat_open(&ranks, 60);
  assert_int_equal(heartbeat_waits_endless(&ranks), h != NULL);
  heartbeat_close(h);
  assert_false(heartbeat_waits_endless(&ranks));
  heartbeat_close(heartbeat_open(&ranks, 0));
  assert_true(heartbeat_waits_endless(&ranks));
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_patient),      cmocka_unit_test(needs_no_network),
      cmocka_unit_test(passes_work_on),  cmocka_unit_test(knows_who_watches),
      cmocka_unit_test(can_be_left_out), cmocka_unit_test(opens_again)};
  ranks_open(&ranks, &argc, &argv);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return ranks_close(&ranks, failed);
}
