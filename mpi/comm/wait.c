#define _GNU_SOURCE /* CPU_COUNT */
#include "mpi/comm/wait.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi/comm/ranks_mpi.h"

static const double ACTIVE = 200e-6; /* s of tests without a sleep */
enum { SLEEP = 50000 };              /* ns between later tests; Linux adds up to 50000 */

/* 1 if a Boolean parameter of Open MPI is on. */
static int is_on(const char *value)
{
  return value && *value && strchr("1tTyYeE", *value) != NULL;
}

/* 1 if the ranks of this node outnumber the cores that they share. 0 if they are bound to cores,
   each to its own, or if the launcher does not tell how many they are. */
static int is_crowded(void)
{
  const char *local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  cpu_set_t cores;
  if (!local || is_on(getenv("OMPI_MCA_orte_bound_at_launch"))) return 0;
  if (sched_getaffinity(0, sizeof cores, &cores)) return 0;
  return atoi(local) > CPU_COUNT(&cores);
}

int wait_choose(void)
{
  const char *said = getenv("OMPI_MCA_mpi_yield_when_idle");
  if (said) return is_on(said);
  if (!is_on(getenv("OMPI_MCA_mpi_oversubscribe")) && !is_crowded()) return 0;
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  return 1;
}

void wait_pause(int gives_core, double from)
{
  const struct timespec sleep = {0, SLEEP};
  if (MPI_Wtime() - from <= ACTIVE) return;
  if (gives_core)
    nanosleep(&sleep, NULL);
  else
    sched_yield();
}

/* Open MPI yields in each test that finds nothing. */
void wait_testing(int gives_core, int n, MPI_Request *request)
{
  const double from = MPI_Wtime();
  int done;
  for (;;) {
    MPI_Testall(n, request, &done, MPI_STATUSES_IGNORE);
    if (done) return;
    wait_pause(gives_core, from);
  }
}

void wait_requests(const struct ranks *r, int n, MPI_Request *request)
{
  if (r->gives_core)
    wait_testing(1, n, request);
  else
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

void wait_collective(const struct ranks *r)
{
  MPI_Request request;
  if (!r->gives_core || r->size == 1) return;
  MPI_Ibarrier(r->mpi->private, &request);
  wait_testing(1, 1, &request);
}
