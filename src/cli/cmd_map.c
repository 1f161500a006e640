/* lamella map: the electrostatic potential of charges and dipoles on a lattice. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "io/path_check.h"
#include "maps/map_make.h"

#define FAR_MOST 1e6 /* of a point: beyond, its place in a periodic box would be rounded */

static const struct option_help options[] = {
    {"output", "FILE", NULL, .help = "FILE.h5 (HDF5, kJ/mol/e) or FILE.dx (OpenDX, volt)",
     .file = FILE_WRITTEN, .letter = "o", .required = 1},
    {"method", "direct|cutoff|force_field|full", "cutoff",
     .help = "form of the potential: of all pairs; of pairs within a cutoff; that of the force "
             "field; of Poisson's equation on the lattice"},
    {"cutoff", "NM", NULL,
     .help = "of method cutoff; default: 1.2. Method force_field has that of the force field"},
    {"spacing", "NM", "0.05",
     .help = "of the points; that of the whole periodic box is rounded to fit the box"},
    {"low", "X,Y,Z", NULL,
     .help = "first point, nm, with --high; default: the whole box, or the extent of the sources"},
    {"high", "X,Y,Z", NULL, .help = "no point lies beyond, nm"},
    {"boundary", "periodic|open", NULL, .help = "default: periodic where there is a box"},
    {"types", "NAME,...|SELECTION", NULL,
     .help = "beads whose charges and dipoles are the sources: bead types, groups of the run, or a "
             "selection, {molecules: [DPPC]}; default: all"},
    {"precision", "float|double", "float", .help = "of pairs, sums and values"},
    {"sum", "plain|compensated", "plain", .help = "how the pairs of a point are added"},
    {OPTION_STATE},
    {"first", "N", NULL, .help = "first frame, counted from 1; default: 1"},
    {"last", "N", NULL, .help = "last frame; default: the last of the file"},
    {OPTION_MAP_BACKEND},
    {0},
};

static double length(const struct arguments *a, const char *name)
{
  return arguments_real(a, name, 1e-6, 1e3, 0);
}

/* 1 and sets x if the option is given. */
static int corner(const struct arguments *a, const char *name, double x[3])
{
  const char *text = arguments_value(a, name), *rest = text;
  for (int k = 0; text && k < 3; k++) {
    char number[64];
    const size_t n = strcspn(rest, ",");
    snprintf(number, sizeof number, "%.*s", (int)(n < 63 ? n : 63), rest);
    if (!parse_real(number, &x[k]) || (rest[n] == ',') != (k < 2))
      die_all(STATUS_INPUT, "--%s=%s: is no point X,Y,Z in nm", name, text);
    if (fabs(x[k]) > FAR_MOST)
      die_all(STATUS_INPUT, "--%s=%s: lies farther than %g nm", name, text, FAR_MOST);
    rest += n + 1;
  }
  return text != NULL;
}

/* Options that the method does not have. */
static void check_unused(const struct arguments *a, const struct map_request *q)
{
  if (q->method == MAP_FULL && q->compensated)
    die_all(STATUS_INPUT, "--sum=compensated: method full adds no pairs");
  if ((q->method == MAP_DIRECT || q->method == MAP_FULL) && q->cutoff > 0)
    warn("--cutoff: method %s has none: it is not used", arguments_value(a, "method"));
}

static struct map_request request_of(const struct arguments *a, const char *state)
{
  struct map_request q = {.input = arguments_operand(a, 0),
                          .output = arguments_value(a, "output"),
                          .state = state,
                          .first = arguments_int(a, "first", 1, INT64_MAX, 0),
                          .last = arguments_int(a, "last", 1, INT64_MAX, 0),
                          .types = arguments_value(a, "types"),
                          .method = (enum map_method)arguments_word(a, "method"),
                          .boundary = arguments_word(a, "boundary"),
                          .double_precision = arguments_word(a, "precision"),
                          .compensated = arguments_word(a, "sum"),
                          .backend = arguments_value(a, "backend"),
                          .cutoff = length(a, "cutoff"),
                          .spacing = length(a, "spacing")};
  check_unused(a, &q);
  q.has_extent = corner(a, "low", q.low);
  if (corner(a, "high", q.high) != q.has_extent)
    die_all(STATUS_INPUT, "--low and --high are given together");
  for (int k = 0; q.has_extent && k < 3; k++)
    if (q.low[k] > q.high[k])
      die_all(STATUS_INPUT, "--low=%s lies beyond --high=%s: no points", arguments_value(a, "low"),
              arguments_value(a, "high"));
  return q;
}

/* Dies with status 2 unless the name ends in .h5 or .dx and its second file is not the input; with
   status 4 if its folder is not writable. */
static void check_output(const struct ranks *r, const struct map_request *q)
{
  const int is_dx = path_ends(q->output, ".dx");
  if (!is_dx && !path_ends(q->output, ".h5"))
    die_all(STATUS_INPUT, "--output=%s: the name ends in .h5 (HDF5) or .dx (OpenDX)", q->output);
  path_check(r, q->output);
  path_check_folder(r, q->output);
  if (!is_dx) return;
  char *second = path_instead(q->output, ".dx", MAP_DEVIATION);
  path_check(r, second);
  if (r->rank == 0) path_spare_input("--output", second, q->input);
  free(second);
}

static int map_run(struct ranks *r, const struct arguments *a)
{
  static const char *const of_frames[] = {"first", "last", "state", NULL};
  static const char *const of_types[] = {"types", NULL};
  char *state = arguments_state(a);
  const struct map_request q = request_of(a, state);
  const int is_trajectory = path_ends(q.input, ".h5md");
  if (!is_trajectory) arguments_refuse(a, of_frames, "trajectories");
  if (path_ends(q.input, ".pqr")) arguments_refuse(a, of_types, "states and trajectories");
  check_output(r, &q);
  struct output_file out = output_file_lock(r, q.output);
  if (is_trajectory && r->rank == 0) arguments_spare(a, state);
  map_make(r, &q);
  output_file_release(&out);
  free(state);
  return STATUS_DONE;
}

static const char more[] =
    "The input is a state (.h5), a trajectory (.h5md) or a PQR file (.pqr). Of several frames the\n"
    "mean is written, and the standard deviation over frames.\n";

const struct command command_map = {
    .name = "map",
    .operands = "STATE.h5|TRAJECTORY.h5md|FILE.pqr",
    .least = 1,
    .most = 1,
    .summary = "Computes the electrostatic potential of charges and dipoles on a lattice",
    .more = more,
    .option = options,
    .run = map_run,
};
