#define _GNU_SOURCE /* CPU_COUNT */
#include "mpi/comm/wait.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mpi/comm/implementation.h"
#include "mpi/comm/ranks_mpi.h"

static const double ACTIVE = 200e-6; /* s of tests without a sleep */
enum { SLEEP = 50000 };              /* ns between later tests; Linux adds up to 50000 */

/* 1 if the ranks of this node outnumber the cores that they share. 0 if they are bound to cores,
   each to its own, or if the launcher does not tell how many they are; where it does not tell
   whether they are bound, if they do not outnumber all cores of the node. */
static int is_crowded(const struct implementation *mpi)
{
  const char *local = implementation_variable(mpi->local_size);
  const int tells = mpi->bound && !implementation_variable(mpi->silent);
  cpu_set_t cores;
  if (!local || (tells && implementation_is_on(mpi->bound))) return 0;
  if (!tells) return atoi(local) > sysconf(_SC_NPROCESSORS_ONLN);
  if (sched_getaffinity(0, sizeof cores, &cores)) return 0;
  return atoi(local) > CPU_COUNT(&cores);
}

int wait_choose(void)
{
  const struct implementation *mpi = implementation();
  if (implementation_variable(mpi->yield)) return implementation_is_on(mpi->yield);
  if (!implementation_is_on(mpi->crowded) && !is_crowded(mpi)) return WAIT_UNKNOWN;
  if (mpi->yield && mpi->yields) setenv(mpi->yield, mpi->yields, 0);
  return 1;
}

int wait_chosen(int choice, MPI_Comm node, MPI_Comm all)
{
  cpu_set_t cores;
  int ranks;
  MPI_Comm_size(node, &ranks);
  if (sched_getaffinity(0, sizeof cores, &cores)) memset(&cores, 0xff, sizeof cores);
  MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, node);
  if (choice == WAIT_UNKNOWN) choice = ranks > CPU_COUNT(&cores);
  MPI_Allreduce(MPI_IN_PLACE, &choice, 1, MPI_INT, MPI_MAX, all);
  return choice;
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

/* MPI_STATUSES_IGNORE of MPICH is 1, which gcc takes for the address of an array that is too small.
 */
static MPI_Status *no_statuses(void)
{
  MPI_Status *volatile none = MPI_STATUSES_IGNORE;
  return none;
}

/* Open MPI yields in each test that finds nothing. */
void wait_testing(int gives_core, int n, MPI_Request *request)
{
  const double from = MPI_Wtime();
  int done;
  for (;;) {
    MPI_Testall(n, request, &done, no_statuses());
    if (done) return;
    wait_pause(gives_core, from);
  }
}

void wait_requests(const struct ranks *r, int n, MPI_Request *request)
{
  if (r->gives_core)
    wait_testing(1, n, request);
  else
    MPI_Waitall(n, request, no_statuses());
}

void wait_collective(const struct ranks *r)
{
  MPI_Request request;
  if (!r->gives_core || r->size == 1) return;
  MPI_Ibarrier(r->mpi->private, &request);
  wait_testing(1, 1, &request);
}
