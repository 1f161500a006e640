/* lamella convert TRAJECTORY.h5md|STATE.h5 -o OUT.xtc|trr|dcd|gro|pdb
   lamella convert FRAME.gro|FRAME.trr --state=STATE.h5 -o NEW.h5
   lamella export STATE.h5 --gro=FILE --top=FILE */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file_kind.h"
#include "base/log.h"
#include "base/path.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "import/gromacs_import.h"
#include "io/foreign/frame_file.h"
#include "io/foreign/top.h"
#include "io/frame_source.h"
#include "io/path_check.h"
#include "io/state.h"
#include "md/enforce.h"

#define POSITIONS_WORDS "wrapped|unwrapped|whole" /* POSITIONS_CHOICES */

static const struct option_help options[] = {
    {"output", "FILE", NULL,
     .help = "file to write; its suffix says the format: xtc, trr, dcd, gro, pdb; h5 for a state "
             "made of a frame of GROMACS",
     .file = FILE_WRITTEN, .letter = "o", .required = 1},
    {OPTION_STATE},
    {"every", "N", "1", .help = "write each N-th frame"},
    {"from", "T", NULL, .help = "leave out frames before T ps"},
    {"to", "T", NULL, .help = "leave out frames after T ps"},
    {"select", "NAME,...|SELECTION", NULL,
     .help = "write beads of these molecule types, bead types and groups of the run only, or of a "
             "selection, {molecules: [DPPC], names: [PO4]}"},
    {"positions", POSITIONS_WORDS, "whole",
     .help = "whole: molecules whole, their first bead inside the box; wrapped: each bead inside "
             "the box; unwrapped: along continuous paths"},
    {"precision", "P", "1000", .help = "xtc: positions are rounded to 1/P nm, 1 to 1e6"},
    {"digits", "N", "3", .help = "gro: decimals of positions, 3 to 12; velocities have one more"},
    {0},
};

static int digits_of(const struct arguments *a)
{
  return (int)arguments_int(a, "digits", FRAME_DIGITS_LEAST, FRAME_DIGITS_MOST, 3);
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

/* series: has precision and digits. */
static void write_frames(struct ranks *r, const struct frame_request *want, const char *path,
                         const struct frame_format *format, struct frame_series series)
{
  struct output_file lock = output_file_lock(r, path);
  struct frame_source f;
  struct frame_block block = {0};
  frame_source_open(&f, r, want);
  if (f.is_state) enforce_system(r, f.system, ENFORCE_SITES);
  series.forcefield = f.system->ff->name;
  series.beads = f.selection.total;
  series.frames = f.frames;
  series.step = f.step[0];
  series.time = f.time[0];
  series.is_double = f.is_state;
  set_interval(&series, &f, format);
  struct frame_file *out = frame_file_open(r, path, format, &series, f.system, &f.selection);
  for (int64_t k = 0; k < f.frames; k++) {
    frame_source_read(&f, k, &block);
    frame_file_add(out, &block);
  }
  frame_file_close(out);
  if (r->rank == 0)
    printf("written      %s: %lld frame%s of %lld beads, %g to %g ps\n", path, (long long)f.frames,
           f.frames > 1 ? "s" : "", (long long)series.beads, f.time[0], f.time[f.frames - 1]);
  frame_block_free(&block);
  frame_source_close(&f);
  output_file_release(&lock);
}

/* Options of a conversion to a state. */
static void check_options(const struct arguments *a, int is_trr)
{
  static const char *const other[] = {"every", "select", "positions", "precision", "digits", NULL};
  static const char *const times[] = {"from", "to", NULL};
  const char *frame = arguments_operand(a, 0);
  arguments_refuse(a, other, "trajectories and states of lamella");
  if (!is_trr) arguments_refuse(a, times, ".trr files");
  if (!arguments_typed(a, "state"))
    die_all(STATUS_INPUT,
            "convert: --state=STATE.h5 is missing: a frame of GROMACS has no force field, and that "
            "of a state is taken. Without a state: lamella import TOPOL.top CONF.gro");
  if (!path_ends(arguments_value(a, "output"), ".h5"))
    die_all(STATUS_INPUT, "convert: --output=%s: a state is made of '%s', and its suffix is .h5",
            arguments_value(a, "output"), frame);
}

static void convert_back(struct ranks *r, const struct arguments *a, double from, double to)
{
  const char *frame = arguments_operand(a, 0);
  const int is_trr = path_ends(frame, ".trr");
  check_options(a, is_trr);
  struct output_file out = output_file_lock(r, arguments_value(a, "output"));
  struct system *s = gromacs_frame_system(r, frame, is_trr, from, to, arguments_value(a, "state"));
  output_file_state(&out, s, NULL, 1);
  system_destroy(s);
  output_file_release(&out);
}

static void convert_frames(struct ranks *r, const struct arguments *a, double from, double to)
{
  const char *select = arguments_value(a, "select"), *output = arguments_value(a, "output");
  const struct frame_format *format = frame_format_of(output);
  char suffixes[FRAME_LINE];
  if (!format)
    die_all(STATUS_INPUT, "convert: --output=%s: its suffix is none of %s", output,
            frame_format_suffixes(suffixes));
  char *state = arguments_state(a);
  const struct frame_request want = {.path = arguments_operand(a, 0),
                                     .state = state,
                                     .select = select ? select : "",
                                     .positions =
                                         (enum trajectory_positions)arguments_word(a, "positions"),
                                     .every = arguments_int(a, "every", 1, INT64_MAX, 1),
                                     .from = from,
                                     .to = to};
  if (want.from > want.to)
    die_all(STATUS_INPUT, "convert: --from=%g is after --to=%g: no frames", want.from, want.to);
  const struct frame_series series = {.precision = arguments_real(a, "precision", 1, 1e6, 1000),
                                      .digits = digits_of(a)};
  if (r->rank == 0) arguments_spare(a, state);
  write_frames(r, &want, output, format, series);
  free(state);
}

static int convert_run(struct ranks *r, const struct arguments *a)
{
  const char *path = arguments_operand(a, 0);
  const double from = arguments_real(a, "from", -1e300, 1e300, -HUGE_VAL),
               to = arguments_real(a, "to", -1e300, 1e300, HUGE_VAL);
  if (path_ends(path, ".gro") || path_ends(path, ".trr")) {
    convert_back(r, a, from, to);
    return STATUS_DONE;
  }
  file_kind_require(path, FILE_HDF5, "a trajectory or a state of lamella");
  convert_frames(r, a, from, to);
  return STATUS_DONE;
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

static const struct option_help export_options[] = {
    {"gro", "FILE", NULL, .help = "write positions and velocities as GROMACS does, molecules whole",
     .file = FILE_WRITTEN},
    {"top", "FILE", NULL,
     .help = "write a topology of GROMACS: force field and list of molecules in one file",
     .file = FILE_WRITTEN},
    {"digits", "N", "3", .help = "decimals of positions, 3 to 12; velocities have one more"},
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
  const struct frame_series series = {.digits = digits_of(a)};
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
  if (gro) write_frames(r, &want, gro, &frame_gro, series);
  return STATUS_DONE;
}

const struct command command_export = {
    .name = "export",
    .operands = "STATE.h5",
    .least = 1,
    .most = 1,
    .summary = "Writes a state as files of GROMACS",
    .option = export_options,
    .run = export_run,
};
