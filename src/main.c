/* Lamella: coarse-grained membrane molecular dynamics on many GPUs. */
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "commands.h"
#include "config.h"
#include "log.h"
#include "transport.h"
#include "version.h"

static const struct {
  const char *name, *help;
  int (*run)(struct ranks *r, int argc, char **argv);
} command[] = {
    {"build", "SPEC.yaml -o START.h5: make a bilayer, water or a lattice", cmd_build},
    {"import", "FILE --format=lammps-data --forcefield=NAME -o START.h5", cmd_import},
    {"run", "RUN.yaml: simulate; the same command continues a run", cmd_run},
    {"energy", "STATE.h5: energies, virial and forces of a state", cmd_energy},
    {"info", "FILE.h5: what is in a file, and whether it is whole", cmd_info},
    {"forcefield", "[NAME]: list force fields, or print and check one", cmd_forcefield},
};
enum { COMMANDS = sizeof command / sizeof command[0] };

static void usage(void)
{
  printf("Usage: lamella COMMAND ...\n\n");
  for (int k = 0; k < COMMANDS; k++)
    printf("  %-11s %s\n", command[k].name, command[k].help);
  printf("\n  --help, --version; lamella COMMAND --help says more\n"
         "Exit status: 0 done, 2 wrong input, 3 numerical failure, 4 files, 99 stopped early.\n");
}

static void version(void)
{
  printf("lamella %s (%s)\n", LAMELLA_VERSION, LAMELLA_GIT);
  printf("compiler %s, flags %s\n", LAMELLA_COMPILER, LAMELLA_CFLAGS);
  printf("MPI %s, HDF5 %s, CUDA %s\n", LAMELLA_MPI, LAMELLA_HDF5, LAMELLA_CUDA);
  transport_list();
  backend_list();
}

static int dispatch(struct ranks *r, int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "--help";
  if (!strcmp(name, "--version") || !strcmp(name, "--help") || !strcmp(name, "-h")) {
    if (r->rank == 0 && name[2] == 'v') version();
    if (r->rank == 0 && name[2] != 'v') usage();
    return argc > 1 ? STATUS_DONE : STATUS_INPUT;
  }
  for (int k = 0; k < COMMANDS; k++)
    if (!strcmp(name, command[k].name)) return command[k].run(r, argc - 1, argv + 1);
  die_all(STATUS_INPUT, "there is no command %s; see lamella --help", name);
}

int main(int argc, char **argv)
{
  struct ranks ranks;
  ranks_open(&ranks, &argc, &argv);
  int status = dispatch(&ranks, argc, argv);
  ranks_close(&ranks);
  return status;
}
