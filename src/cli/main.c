/* Lamella: coarse-grained membrane molecular dynamics on many GPUs. */
#include <stdio.h>
#include <string.h>

#include "backend/backend.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/streams.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "config.h"
#include "mpi/comm/mps.h"
#include "mpi/transport/device_memory.h"
#include "mpi/transport/transport.h"

static const struct command *const commands[] = {
    &command_build,      &command_import,   &command_ions, &command_run,     &command_analyze,
    &command_map,        &command_energy,   &command_info, &command_convert, &command_export,
    &command_forcefield, &command_umbrella, NULL,
};

static void version(void)
{
  printf("lamella %s (%s)\n", LAMELLA_VERSION, LAMELLA_GIT);
  printf("compiler %s, flags %s\n", LAMELLA_COMPILER, LAMELLA_CFLAGS);
  printf("MPI %s, HDF5 %s, CUDA %s\n", LAMELLA_MPI, LAMELLA_HDF5, LAMELLA_CUDA);
  transport_list();
  backend_list();
}

static int command_call(struct ranks *r, const struct command *c, int argc, char **argv)
{
  struct arguments *a = arguments_parse(c, argc, argv);
  if (!a && r->rank == 0) help_command(c);
  if (!a) return STATUS_DONE;
  arguments_check_files(r, a);
  int status = c->run(r, a);
  arguments_destroy(a);
  return status;
}

static int dispatch(struct ranks *r, int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "--help";
  struct nearest near = {{0}, 0};
  char hint[96];
  if (!strcmp(name, "--version") || !strcmp(name, "--help") || !strcmp(name, "-h")) {
    if (r->rank == 0 && name[2] == 'v') version();
    if (r->rank == 0 && name[2] != 'v') help_program(commands);
    return argc > 1 ? STATUS_DONE : STATUS_INPUT;
  }
  for (int k = 0; commands[k]; k++) {
    if (!strcmp(name, commands[k]->name)) return command_call(r, commands[k], argc - 1, argv + 1);
    nearest_offer(&near, name, commands[k]->name);
  }
  die_all(STATUS_INPUT, "there is no command %s (lamella --help lists them)%s", name,
          nearest_text(&near, hint));
}

/* Commands that the build runs. They do not start MPI, which may not work on a build machine. */
static int written_for_build(int argc, char **argv)
{
  const char *name = argc == 2 ? argv[1] : "";
  if (!strcmp(name, "--man"))
    help_manual_page(commands, LAMELLA_VERSION);
  else if (!strcmp(name, "--completion"))
    help_completion(commands);
  else
    return 0;
  return 1;
}

/* Fails if the standard output could not be written. Collective. */
static int check_output(const struct ranks *r, int status)
{
  int64_t failed = streams_flush();
  if (failed && r->rank == 0)
    fprintf(stderr, "lamella: the standard output could not be written: %s\n",
            strerror((int)failed));
  ranks_max_int64(r, &failed, 1);
  return failed && status == STATUS_DONE ? STATUS_IO : status;
}

int main(int argc, char **argv)
{
  struct ranks ranks;
  if (written_for_build(argc, argv)) return streams_flush() ? STATUS_IO : STATUS_DONE;
  if (argc == 2 && !strcmp(argv[1], MPS_TRIAL)) return devices_work() ? STATUS_DONE : STATUS_INPUT;
  streams_guard();
  ranks_open(&ranks, &argc, &argv);
  int status = check_output(&ranks, dispatch(&ranks, argc, argv));
  return ranks_close(&ranks, status);
}
