/* A sched_yield() that sleeps: ranks of a test that wait inside Open MPI, which yields each time
   that it finds no message, leave the cores to tests that run beside them. For LD_PRELOAD
   (build-aux/run_test.sh). */
#include <sched.h>
#include <time.h>

int sched_yield(void)
{
  const struct timespec sleep = {0, 20000}; /* Linux adds 50000 */
  nanosleep(&sleep, NULL);
  return 0;
}
