/* Implementations of MPI: a row for each. Of variables these are: Open MPI 4 and 5, "Environment
   variables set for MPI applications", mpirun(1); MPICH 4, README.envvar, and hydra, which Intel
   MPI has too ("Intel MPI Library Developer Reference": I_MPI_THREAD_YIELD); HPE Cray,
   intro_mpi(3), mpiexec of PALS. */
#include "mpi/comm/implementation.h"

#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parallel_loop.h"

static void open_mpi_prepare(int is_launched);
static void hydra_prepare(int is_launched);

/* Debian's MPICH (ch4:ucx) never yields; other builds do as POLLS_BEFORE_YIELD says. */
static const struct implementation row[] = {
    {.in = "Open MPI",
     .name = "Open MPI",
     .rank = "OMPI_COMM_WORLD_RANK",
     .size = "OMPI_COMM_WORLD_SIZE",
     .local_size = "OMPI_COMM_WORLD_LOCAL_SIZE",
     .bound = "OMPI_MCA_orte_bound_at_launch",
     .crowded = "OMPI_MCA_mpi_oversubscribe",
     .silent = "OMPI_VERSION", /* Open MPI 5 */
     .yield = "OMPI_MCA_mpi_yield_when_idle",
     .yields = "1",
     .prepare = open_mpi_prepare},
    {.in = "Intel(R) MPI",
     .name = "Intel MPI",
     .rank = "PMI_RANK",
     .size = "PMI_SIZE",
     .local_size = "MPI_LOCALNRANKS",
     .yield = "I_MPI_THREAD_YIELD",
     .yields = "3",
     .file_system = "ufs:",
     .prepare = hydra_prepare},
    {.in = "CRAY MPICH",
     .name = "Cray MPICH",
     .rank = "PMI_RANK",
     .size = "PMI_SIZE",
     .local_size = "PMI_LOCAL_SIZE",
     .yield = "MPICH_POLLS_BEFORE_YIELD",
     .file_system = "ufs:"},
    {.name = "MPICH",
     .rank = "PMI_RANK",
     .size = "PMI_SIZE",
     .local_size = "MPI_LOCALNRANKS",
     .yield = "MPIR_CVAR_POLLS_BEFORE_YIELD",
     .file_system = "ufs:",
     .prepare = hydra_prepare},
};
enum { ROWS = sizeof row / sizeof *row };
/* Launchers of any MPI: srun, and those that speak PMIx. */
static const char *const any_rank[] = {"SLURM_PROCID", "PMIX_RANK"};

const struct implementation *implementation(void)
{
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length, k = 0;
  MPI_Get_library_version(version, &length);
  while (row[k].in && !strstr(version, row[k].in))
    k++;
  return &row[k];
}

const char *implementation_variable(const char *name)
{
  return name ? getenv(name) : NULL;
}

int implementation_is_on(const char *name)
{
  const char *value = implementation_variable(name);
  return value && *value && !strchr("0fFnN", *value);
}

/* Whether mpiexec or srun has started this process; mpiexec of another MPI counts. */
static int is_launched(void)
{
  for (size_t k = 0; k < sizeof any_rank / sizeof *any_rank; k++)
    if (getenv(any_rank[k])) return 1;
  for (int k = 0; k < ROWS; k++)
    if (getenv(row[k].rank)) return 1;
  return 0;
}

/* What has started this process, which is alone, as one of several; NULL: nothing. */
static const char *stray_launcher(const struct implementation *own)
{
  if (getenv(own->rank)) return NULL;
  for (int k = 0; k < ROWS; k++) {
    const char *of = getenv(row[k].size);
    if (of && atoi(of) > 1) return k == 0 ? "mpiexec of Open MPI" : "mpiexec of another MPI";
  }
  const char *step = getenv("SLURM_PROCID") ? getenv("SLURM_STEP_NUM_TASKS") : NULL;
  return step && atoi(step) > 1 ? "srun" : NULL;
}

void implementation_check_launcher(int size)
{
  const struct implementation *own = implementation();
  const char *launcher = size == 1 ? stray_launcher(own) : NULL;
  if (launcher)
    die_all(STATUS_INPUT,
            "%s has started several of this program, and each is alone: it was built for %s. Use "
            "its mpiexec, or with srun the plugin that it needs (--mpi=pmix or --mpi=pmi2)",
            launcher, own->name);
}

/* OMPIO keeps a shared file pointer for each open file, which this program does not use. Component
   sm locks a semaphore in /dev/shm that has the name of the file: where a process has died with it
   locked, every later run that opens a file of that name hangs. Component lockedfile leaves a file
   beside the output when a run is killed. With one component alone, at a priority below all, there
   is none. */
static void leave_out_shared_pointers(const char *component, const char *priority)
{
  if (getenv("OMPI_MCA_sharedfp")) return;
  setenv("OMPI_MCA_sharedfp", component, 0);
  setenv(priority, "-1", 0);
}

/* A process that no launcher has started needs neither a daemon beside it nor a network: without
   them MPI starts in a fraction of the time. Nor does it need a session folder: without a daemon
   all such processes of a user would share one, which one removes while another creates it. Without
   it component sm of sharedfp (see above) complains, so lockedfile takes its place. Parameters that
   the user has set stay. */
static void start_without_launcher(void)
{
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_btl", "self", 0);
  if (getenv("OMPI_MCA_orte_create_session_dirs")) return;
  setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
  leave_out_shared_pointers("lockedfile", "OMPI_MCA_sharedfp_lockedfile_priority");
}

/* A thread of Open MPI binds functions at their first call, while another loads and unloads
   plugins: once in some thousand starts that crashes in the loader of glibc. With LD_BIND_NOW,
   which the loader reads when a program starts, all functions are bound before. Plugins of Slurm
   cannot be loaded so: what srun has started goes on as it is. Returns 1 if the program has to be
   started anew. */
static int bind_functions(void)
{
  if (getenv("LD_BIND_NOW") || (getenv("SLURM_PROCID") && !getenv("OMPI_COMM_WORLD_SIZE")))
    return 0;
  setenv("LD_BIND_NOW", "1", 1);
  return 1;
}

/* Starts the program anew. Returns where that cannot be done. */
static void start_anew(char **argv)
{
  char program[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  if (n < 0) return;
  program[n] = 0;
  execv(program, argv);
}

static void open_mpi_prepare(int is_launched)
{
  if (!is_launched) start_without_launcher();
  leave_out_shared_pointers("sm", "OMPI_MCA_sharedfp_sm_priority");
}

/* Where hydra's process of this node is killed, its ranks would go on for ever: it is their parent,
   and they stop as after SIGTERM. A process alone needs no network and no shared memory of UCX. */
static void hydra_prepare(int is_launched)
{
  if (!is_launched)
    setenv("UCX_TLS", "self", 0);
  else if (getenv("MPI_LOCALRANKID"))
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}

void implementation_prepare(char **argv)
{
  const struct implementation *own = implementation();
  const int binds = own == row && bind_functions(), waits = parallel_waits_set();
  if (binds || waits) start_anew(argv);
  if (own->prepare) own->prepare(is_launched());
}
