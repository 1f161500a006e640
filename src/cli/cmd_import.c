/* lamella import FILE --format=lammps-data --forcefield=NAME -o START.h5 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "cli/commands.h"
#include "import/lammps.h"
#include "input/forcefield_file.h"
#include "io/lock.h"
#include "io/path.h"
#include "io/state.h"
#include "md/summary.h"
#include "setup/replicate.h"

static const struct option_help options[] = {
    {.name = "format",
     .letter = "f",
     .argument = "lammps-data",
     .help = "LAMMPS data file: units real, atom_style hybrid angle dipole sphere",
     .required = 1},
    {.name = "forcefield",
     .letter = "F",
     .argument = "NAME",
     .help = "force field: a name or path",
     .required = 1},
    {.name = "output",
     .letter = "o",
     .argument = "START.h5",
     .help = "the state file",
     .required = 1},
    {.name = "types",
     .argument = "W,C,...",
     .help = "names of the force field for types 1, 2, ... of the file, '-' for one that no atom "
             "has; default: its Atom Type Labels, or the order of the force field"},
    {.name = "bond-types", .argument = "CP,...", .help = "the same of bonds"},
    {.name = "angle-types", .argument = "CPG,...", .help = "the same of angles"},
    {.name = "ids", .argument = "FILE", .help = "write a table of beads and their ids in the file"},
    {0},
};

static const char agreement[] = "Masses, inertias, charges and dipole moments are those of the "
                                "force field; what the file says\n"
                                "of them, and its coefficients and styles, must agree with it.\n";

static int import_run(struct ranks *r, const struct arguments *a)
{
  static const int once[3] = {1, 1, 1};
  const char *forcefield = arguments_value(a, "forcefield"), *output = arguments_value(a, "output");
  const struct lammps_options options_given = {
      arguments_value(a, "types"), arguments_value(a, "bond-types"),
      arguments_value(a, "angle-types"), arguments_value(a, "ids")};
  path_check(r, output);
  char *target = path_target(output);
  int lock = lock_take(r, target);
  /* Rank 0 reads everything, so that mistakes are reported once. */
  struct system *whole = NULL;
  if (r->rank == 0)
    whole = lammps_import(arguments_operand(a, 0), forcefield_load(forcefield), &options_given);
  ranks_barrier(r);
  struct system *s = replicate_whole(r, whole, once, forcefield_load(forcefield));
  system_destroy(whole);
  summary_require_kernels(r, s);
  state_write(r, output, s, NULL);
  summary_print(r, s, 1);
  summary_box_suffices(r, s, 1);
  if (r->rank == 0) printf("written      %s\n", output);
  system_destroy(s);
  lock_release(r, target, lock);
  free(target);
  return STATUS_DONE;
}

const struct command command_import = {
    .name = "import",
    .operands = "FILE",
    .least = 1,
    .most = 1,
    .summary = "Turns a configuration of another program into a state file",
    .more = agreement,
    .option = options,
    .run = import_run,
};
