/* lamella export STATE.h5 --gro=FILE */
#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "cli/commands.h"
#include "cli/frames_write.h"
#include "io/foreign/top.h"
#include "io/path_check.h"
#include "io/state.h"

static const struct option_help options[] = {
    {.name = "gro",
     .file = FILE_WRITTEN,
     .argument = "FILE",
     .help = "write positions and velocities as GROMACS does, molecules whole"},
    {.name = "top",
     .file = FILE_WRITTEN,
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
  const struct frame_request want = {.path = state,
                                     .select = "",
                                     .positions = POSITIONS_WHOLE,
                                     .every = 1,
                                     .from = -HUGE_VAL,
                                     .to = HUGE_VAL};
  const struct frame_series series = {
      .digits = (int)arguments_int(a, "digits", FRAME_DIGITS_LEAST, FRAME_DIGITS_MOST, 3)};
  if (!gro && !top)
    die_all(STATUS_INPUT, "export: nothing to write: give --gro=FILE or --top=FILE");
  if (frame_source_is_trajectory(r, state))
    die_all(
        STATUS_INPUT,
        "export: '%s' is an H5MD trajectory; a state file is wanted. lamella convert writes frames",
        state);
  if (gro) path_check(r, gro);
  if (top) path_check(r, top);
  if (top) {
    struct system *s = state_read(r, state);
    top_write(r, top, s);
    system_destroy(s);
    if (r->rank == 0) printf("written      %s\n", top);
  }
  if (gro) frames_write(r, &want, gro, &frame_gro, series);
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
