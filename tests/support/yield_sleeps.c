/* Ranks of a test that wait inside MPI leave the cores to tests that run beside them, for
   LD_PRELOAD (build-aux/run_test.sh): a sched_yield() that sleeps, since Open MPI yields each time
   that it finds no message; and for MPICH, which does not yield, a ucp_worker_progress() that
   sleeps after IDLE calls of it that found none. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

enum { IDLE = 50 };

static void pause_shortly(void)
{
  const struct timespec sleep = {0, 20000}; /* Linux adds 50000 */
  nanosleep(&sleep, NULL);
}

int sched_yield(void)
{
  pause_shortly();
  return 0;
}

unsigned ucp_worker_progress(void *worker)
{
  static _Thread_local int idle;
  unsigned (*progress)(void *);
  *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned events = progress(worker);
  idle = events ? 0 : idle + 1;
  if (idle > IDLE) pause_shortly();
  return events;
}
