/* Parameters of Open MPI 4, as environment variables: see open_mpi.h. */
#include "mpi/comm/open_mpi.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/parallel_loop.h"

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

/* Whether mpiexec or srun has started this process. */
static int is_launched(void)
{
  static const char *const launched[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                                         "SLURM_PROCID"};
  for (size_t k = 0; k < sizeof launched / sizeof *launched; k++)
    if (getenv(launched[k])) return 1;
  return 0;
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

void open_mpi_prepare(char **argv)
{
  const int binds = bind_functions(), waits = parallel_waits_set();
  if (binds || waits) start_anew(argv);
  if (!is_launched()) start_without_launcher();
  leave_out_shared_pointers("sm", "OMPI_MCA_sharedfp_sm_priority");
}
