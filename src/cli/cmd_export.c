/* lamella export STATE.h5 --gro=FILE */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "io/gro.h"
#include "io/path.h"
#include "io/state.h"
#include "io/top.h"

static const struct option_help options[] = {
    {.name = "gro",
     .argument = "FILE",
     .help = "write positions and velocities as GROMACS does, molecules whole"},
    {.name = "top",
     .argument = "FILE",
     .help = "write a topology of GROMACS: force field and list of molecules in one file"},
    {.name = "digits",
     .argument = "N",
     .preset = "3",
     .help = "decimals of positions, 3 to 12; velocities have one more"},
    {0},
};

static int export_run(struct ranks *r, const struct arguments *a)
{
  const char *gro = arguments_value(a, "gro"), *top = arguments_value(a, "top");
  const char *state = arguments_operand(a, 0);
  int64_t digits;
  if (!gro && !top)
    die_all(STATUS_INPUT, "export: nothing to write: give --gro=FILE or --top=FILE");
  if (!parse_int(arguments_value(a, "digits"), &digits) || digits < GRO_DIGITS_LEAST ||
      digits > GRO_DIGITS_MOST)
    die_all(STATUS_INPUT, "export: --digits: expected %d to %d", GRO_DIGITS_LEAST, GRO_DIGITS_MOST);
  for (int k = 0; k < 2; k++) {
    const char *path = k ? top : gro;
    if (!path) continue;
    path_check(r, path);
    path_refuse_input(r, state, path);
  }
  struct system *s = state_read(r, state);
  if (top) top_write(r, top, s);
  if (gro) gro_write(r, gro, s, (int)digits);
  system_destroy(s);
  return STATUS_DONE;
}

const struct command command_export = {
    .name = "export",
    .operands = "STATE.h5",
    .least = 1,
    .most = 1,
    .summary = "Writes a state as files of GROMACS",
    .more = NULL,
    .option = options,
    .run = export_run,
};
