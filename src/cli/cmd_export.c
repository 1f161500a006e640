/* lamella export STATE.h5 --gro=FILE */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "io/foreign/frame_file.h"
#include "io/foreign/top.h"
#include "io/frame_source.h"
#include "io/path_check.h"
#include "io/state.h"
#include "md/enforce.h"

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

/* All beads, molecules whole. */
static void gro_write(const struct ranks *r, const char *path, const struct system *s, int digits)
{
  const struct frame_series series = {.forcefield = s->ff->name,
                                      .beads = s->n_total,
                                      .frames = 1,
                                      .step = s->clock.step,
                                      .time = s->clock.time,
                                      .digits = digits};
  struct frame_block block = {.number = 1};
  struct selection all;
  selection_open(&all, r, s, "");
  frame_block_of_system(r, s, &all, &block);
  struct frame_file *out = frame_file_open(r, path, &frame_gro, &series, s, &all);
  frame_file_add(out, &block);
  frame_file_close(out);
  frame_block_free(&block);
  selection_close(&all);
}

static int export_run(struct ranks *r, const struct arguments *a)
{
  const char *gro = arguments_value(a, "gro"), *top = arguments_value(a, "top");
  const char *state = arguments_operand(a, 0);
  int64_t digits;
  if (!gro && !top)
    die_all(STATUS_INPUT, "export: nothing to write: give --gro=FILE or --top=FILE");
  if (!parse_int(arguments_value(a, "digits"), &digits) || digits < FRAME_DIGITS_LEAST ||
      digits > FRAME_DIGITS_MOST)
    die_all(STATUS_INPUT, "export: --digits: expected %d to %d", FRAME_DIGITS_LEAST,
            FRAME_DIGITS_MOST);
  if (gro) path_check(r, gro);
  if (top) path_check(r, top);
  struct system *s = state_read(r, state);
  if (top) top_write(r, top, s);
  enforce_system(r, s, ENFORCE_SITES);
  if (gro) gro_write(r, gro, s, (int)digits);
  system_destroy(s);
  if (r->rank == 0 && gro) printf("written      %s\n", gro);
  if (r->rank == 0 && top) printf("written      %s\n", top);
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
