/* lamella convert TRAJECTORY.h5md|STATE.h5 -o OUT.xtc|trr|dcd|gro|pdb
   lamella convert FRAME.gro|FRAME.trr --state=STATE.h5 -o NEW.h5 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/choices.h"
#include "base/file_kind.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/convert_back.h"
#include "cli/trajectory_input.h"
#include "io/foreign/frame_file.h"
#include "io/frame_source.h"
#include "io/lock.h"
#include "io/path_check.h"
#include "md/enforce.h"

#define POSITIONS_WORDS "wrapped|unwrapped|whole" /* POSITIONS_CHOICES */

static const struct option_help options[] = {
    {.name = "output",
     .file = FILE_WRITTEN,
     .letter = "o",
     .argument = "FILE",
     .required = 1,
     .help = "file to write; its suffix says the format: xtc, trr, dcd, gro, pdb; h5 for a state "
             "made of a frame of GROMACS"},
    {.name = "state",
     .file = FILE_READ,
     .argument = "STATE.h5",
     .help = "a state of the same system, for names, bonds and force field; default: the "
             "checkpoint beside the trajectory"},
    {.name = "every", .argument = "N", .preset = "1", .help = "write each N-th frame"},
    {.name = "from", .argument = "T", .help = "leave out frames before T ps"},
    {.name = "to", .argument = "T", .help = "leave out frames after T ps"},
    {.name = "select",
     .argument = "NAME,...",
     .help = "write beads of these molecule types and bead types only"},
    {.name = "positions",
     .argument = POSITIONS_WORDS,
     .preset = "whole",
     .help = "whole: molecules whole, their first bead inside the box; wrapped: each bead inside "
             "the box; unwrapped: along continuous paths"},
    {.name = "precision",
     .argument = "P",
     .preset = "1000",
     .help = "xtc: positions are rounded to 1/P nm, 1 to 1e6"},
    {.name = "digits",
     .argument = "N",
     .preset = "3",
     .help = "gro: decimals of positions, 3 to 12; velocities have one more"},
    {0},
};

static double real_option(const struct arguments *a, const char *name, double standard, double low,
                          double high)
{
  const char *text = arguments_value(a, name);
  double value = standard;
  if (text && (!parse_real(text, &value) || value < low || value > high))
    die_all(STATUS_INPUT, "convert: --%s=%s: expected a number from %g to %g", name, text, low,
            high);
  return value;
}

static int64_t int_option(const struct arguments *a, const char *name, int64_t low, int64_t high)
{
  int64_t value;
  const char *text = arguments_value(a, name);
  if (!parse_int(text, &value) || value < low || value > high)
    die_all(STATUS_INPUT, "convert: --%s=%s: expected a whole number from %lld to %lld", name, text,
            (long long)low, (long long)high);
  return value;
}

/* What is asked of the frames; checks the options. state: the one that belongs to a trajectory. */
static struct frame_request request_of(const struct arguments *a, const char *state)
{
  const char *select = arguments_value(a, "select");
  struct frame_request want = {.path = arguments_operand(a, 0),
                               .state = state,
                               .select = select ? select : "",
                               .every = int_option(a, "every", 1, INT64_MAX),
                               .from = real_option(a, "from", -HUGE_VAL, -1e300, 1e300),
                               .to = real_option(a, "to", HUGE_VAL, -1e300, 1e300)};
  want.positions = (enum trajectory_positions)word_list_find(CHOICES_TEXT(POSITIONS_CHOICES),
                                                             arguments_value(a, "positions"));
  if (want.from > want.to)
    die_all(STATUS_INPUT, "convert: --from=%g is after --to=%g: no frames", want.from, want.to);
  return want;
}

/* Interval and time step of the frames; a warning if DCD, which has one of each, cannot say the
   times of all of them. */
static void set_interval(struct frame_series *s, const struct frame_source *f,
                         const struct frame_format *format)
{
  if (f->frames < 2) {
    s->dt = s->step > 0 ? s->time / (double)s->step : 0;
    return;
  }
  s->interval = f->step[1] - f->step[0];
  s->dt = (f->time[1] - f->time[0]) / (double)s->interval;
  for (int64_t k = 0; k < f->frames && format == &frame_dcd; k++) {
    const int64_t step = s->step + k * s->interval;
    if (f->step[k] == step && fabs(f->time[k] - (double)step * s->dt) <= 1e-3 * s->dt) continue;
    warn("DCD files have one interval and one time step: from frame %lld on (step %lld, %g ps) the "
         "times that programs show are others; choose xtc or trr to keep them",
         (long long)k + 1, (long long)f->step[k], f->time[k]);
    return;
  }
}

static int convert_frames(struct ranks *r, const struct arguments *a)
{
  const char *path = arguments_operand(a, 0), *output = arguments_value(a, "output");
  const char *given = arguments_value(a, "state");
  char *state = given ? text_copy(given) : trajectory_beside(path, ".checkpoint.h5");
  char suffixes[FRAME_LINE];
  const struct frame_format *format = frame_format_of(output);
  if (!format)
    die_all(STATUS_INPUT, "convert: --output=%s: its suffix is none of %s", output,
            frame_format_suffixes(suffixes));
  const struct frame_request want = request_of(a, state);
  struct frame_series series = {
      .precision = real_option(a, "precision", 0, 1, 1e6),
      .digits = (int)int_option(a, "digits", FRAME_DIGITS_LEAST, FRAME_DIGITS_MOST)};
  path_check(r, output);
  if (r->rank == 0) arguments_spare(a, state);
  char *target = path_target(output);
  const int lock = lock_take(r, target);
  struct frame_source f;
  struct frame_block block = {0};
  frame_source_open(&f, r, &want);
  if (f.is_state) enforce_system(r, f.system, ENFORCE_SITES);
  series.forcefield = f.system->ff->name;
  series.beads = f.selection.total;
  series.frames = f.frames;
  series.step = f.step[0];
  series.time = f.time[0];
  series.is_double = f.is_state;
  set_interval(&series, &f, format);
  struct frame_file *out = frame_file_open(r, output, format, &series, f.system, &f.selection);
  for (int64_t k = 0; k < f.frames; k++) {
    frame_source_read(&f, k, &block);
    frame_file_add(out, &block);
  }
  frame_file_close(out);
  if (r->rank == 0)
    printf("written      %s: %lld frame%s of %lld beads, %g to %g ps\n", output,
           (long long)f.frames, f.frames > 1 ? "s" : "", (long long)series.beads, f.time[0],
           f.time[f.frames - 1]);
  frame_block_free(&block);
  frame_source_close(&f);
  lock_release(r, target, lock);
  free(target);
  free(state);
  return STATUS_DONE;
}

static int convert_run(struct ranks *r, const struct arguments *a)
{
  const char *path = arguments_operand(a, 0);
  if (convert_back_is(path)) return convert_back(r, a);
  file_kind_require(path, FILE_HDF5, "a trajectory or a state of lamella");
  return convert_frames(r, a);
}

static const char formats[] =
    "xtc, trr, dcd, gro and pdb hold all frames asked for. trr and gro have velocities where the\n"
    "input has them; names and residues are in gro and pdb. dcd and pdb are in Angstrom, the "
    "others\n"
    "in nm.\n";

const struct command command_convert = {
    .name = "convert",
    .operands = "TRAJECTORY.h5md|STATE.h5|FRAME.gro|FRAME.trr",
    .least = 1,
    .most = 1,
    .summary = "Writes frames for GROMACS, VMD, MDAnalysis and others, and makes states of theirs",
    .more = formats,
    .option = options,
    .run = convert_run,
};
