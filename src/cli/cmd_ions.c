/* lamella ions STATE.h5 -o OUT.h5 --add=NA:10,CL:10 */
#include "base/log.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "io/state.h"
#include "maps/ions_add.h"

static const struct option_help options[] = {
    {"output", "OUT.h5", NULL, .help = "the state file", .file = FILE_WRITTEN, .letter = "o",
     .required = 1},
    {"add", "NAME:N,...", NULL, .help = "ions by number"},
    {"neutralise", "NAME,NAME", NULL,
     .help = "ions against the net charge: of these the first with the opposite sign"},
    {"concentration", "MOL/L:CATION,ANION", NULL,
     .help = "salt at a concentration in the volume of the water; neutralises, too"},
    {"forcefield", "NAME", NULL,
     .help = "of the result; default: that of the state if it has the ions, else its name with "
             "-ions",
     .letter = "F"},
    {"replace", "NAME", NULL,
     .help = "solvent that ions replace, a molecule of one bead; default: the only one of the "
             "state without a charge"},
    {"free", NULL, NULL, .help = "at points of the map, with nothing replaced"},
    {"from", "NM", "0.5",
     .help = "least distance of an ion from beads that are not solvent (--free: from all beads)"},
    {"apart", "NM", "0.5", .help = "least distance of two ions"},
    {"sources", "TYPE,...|SELECTION", NULL,
     .help = "beads whose charges and dipoles make the potential: bead types, groups of the run, "
             "or a selection; default: all but the solvent's"},
    {"method", "cutoff|force_field", "cutoff", .help = "form of the potential, see lamella map"},
    {"cutoff", "NM", NULL, .help = "default: 1.2; force_field has that of the force field"},
    {"spacing", "NM", "0.05", .help = "of the points of the map"},
    {"temperature", "K", "303", .help = "of the ions' momenta"},
    {"seed", "N", "1", .help = "of the ions' momenta"},
    {OPTION_MAP_BACKEND},
    {0},
};

static const char order[] =
    "One of --add, --neutralise and --concentration is needed. Ions are placed one after the\n"
    "other where their energy is least, first all of one sign, then all of the other; of kinds\n"
    "of one sign that with the least energy is next. The map has the potential of the sources,\n"
    "and that of each ion as soon as it is placed. elba-ions, the ions of elba, is this project's\n"
    "own parametrisation, since ELBA has none.\n";

/* One of three options says which ions are added. */
static void set_wanted(struct ions_request *q, const struct arguments *a)
{
  static const char *const name[] = {"add", "neutralise", "concentration"}; /* enum ions_wanted */
  for (int k = 0; k < 3; k++) {
    const char *value = arguments_value(a, name[k]);
    if (!value) continue;
    if (q->wanted)
      die_all(STATUS_INPUT, "ions: --%s and --%s exclude each other", name[q->which], name[k]);
    q->wanted = value;
    q->which = (enum ions_wanted)k;
  }
  if (!q->wanted)
    die_all(STATUS_INPUT, "ions: say which: --add=NAME:N,..., --neutralise=NAME,NAME or "
                          "--concentration=MOL/L:CATION,ANION");
}

static int ions_run(struct ranks *r, const struct arguments *a)
{
  struct ions_request q = {.forcefield = arguments_value(a, "forcefield"),
                           .replace = arguments_value(a, "replace"),
                           .free = arguments_value(a, "free") != NULL,
                           .from = arguments_real(a, "from", 0, 1e3, 0),
                           .apart = arguments_real(a, "apart", 0, 1e3, 0),
                           .sources = arguments_value(a, "sources"),
                           .method = arguments_word(a, "method") ? MAP_FORCE_FIELD : MAP_CUTOFF,
                           .cutoff = arguments_real(a, "cutoff", 1e-2, 1e3, 0),
                           .spacing = arguments_real(a, "spacing", 1e-3, 10, 0),
                           .temperature = arguments_real(a, "temperature", 0, 1e6, 0),
                           .seed = (uint64_t)arguments_int(a, "seed", 0, INT64_MAX, 0),
                           .backend = arguments_value(a, "backend")};
  set_wanted(&q, a);
  if (q.free && q.replace) die_all(STATUS_INPUT, "ions: --free and --replace exclude each other");
  struct output_file out = output_file_lock(r, arguments_value(a, "output"));
  struct system *s = ions_add(r, state_read(r, arguments_operand(a, 0)), &q);
  output_file_state(&out, s, NULL, 1);
  system_destroy(s);
  output_file_release(&out);
  return STATUS_DONE;
}

const struct command command_ions = {
    .name = "ions",
    .operands = "STATE.h5",
    .least = 1,
    .most = 1,
    .summary =
        "Places ions one after the other where their energy is least, and writes a state file",
    .more = order,
    .option = options,
    .run = ions_run,
};
