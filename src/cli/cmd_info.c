/* lamella info FILE */
#include "cli/commands.h"
#include "io/info.h"

static const struct option_help options[] = {
    {0},
};

static int info_run(struct ranks *r, const struct arguments *a)
{
  return info_print(r, arguments_operand(a, 0));
}

const struct command command_info = {
    .name = "info",
    .operands = "FILE.h5",
    .least = 1,
    .most = 1,
    .summary =
        "Says what a state file, trajectory, map or file of results holds, and whether it is whole",
    .more =
        "Beads, box, step, time, force field, molecules, frames, observables, who wrote it. Exit\n"
        "status 4 where the file is not whole.\n",
    .option = options,
    .run = info_run,
};
