/* lamella import topol.top conf.gro -o START.h5
   lamella import topol.top --forcefield=FF.yaml
   lamella import FILE --format=lammps-data --forcefield=NAME -o START.h5 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/log.h"
#include "base/path.h"
#include "base/replace.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/import_gromacs.h"
#include "import/lammps.h"
#include "input/forcefield_file.h"
#include "io/lock.h"
#include "io/path_check.h"
#include "io/state.h"
#include "md/summary.h"
#include "setup/replicate.h"

static const struct option_help options[] = {
    {.name = "format",
     .letter = "f",
     .argument = "gromacs|lammps-data",
     .hint =
         "; run parameters of GROMACS: lamella import topol.top conf.gro --mdp=FILE -o START.h5",
     .help = "gromacs: a topology and a configuration (.gro), the default for files *.top; "
             "lammps-data: units real, atom_style hybrid angle dipole sphere"},
    {.name = "forcefield",
     .file = FILE_WRITTEN,
     .letter = "F",
     .argument = "NAME",
     .help = "of LAMMPS files the force field, a name or path; of GROMACS files the file that the "
             "force field made is written to"},
    {.name = "output",
     .file = FILE_WRITTEN,
     .letter = "o",
     .argument = "START.h5",
     .help = "the state file; a topology without a configuration makes none"},
    {.name = "mdp",
     .file = FILE_READ,
     .argument = "FILE",
     .help = "GROMACS: run parameters; without them pairs end as Martini recommends"},
    {.name = "ndx",
     .file = FILE_READ,
     .argument = "FILE",
     .help = "GROMACS: index file with the groups that --mdp names"},
    {.name = "group",
     .argument = "NAME=MOLECULE,...",
     .help = "GROMACS: a group that --mdp names, of molecule types; may be repeated"},
    {.name = "run",
     .file = FILE_WRITTEN,
     .argument = "RUN.yaml",
     .help = "GROMACS: write the run file that --mdp means"},
    {.name = "define",
     .letter = "D",
     .argument = "NAME[=VALUE]",
     .help = "GROMACS: define a macro of the preprocessor; may be repeated"},
    {.name = "include",
     .letter = "I",
     .argument = "FOLDER",
     .help = "GROMACS: look for included files there too, before GMXLIB; may be repeated"},
    {.name = "reference",
     .file = FILE_READ,
     .argument = "REF.gro",
     .help = "GROMACS: the places of position restraints, grompp -r; default: where the beads are "
             "when the run begins"},
    {.name = "names",
     .argument = "check|topology",
     .preset = "check",
     .help = "GROMACS: names of atoms must agree, or those of the topology hold"},
    {.name = "types",
     .argument = "W,C,...",
     .help = "names of the force field for types 1, 2, ... of the file, '-' for one that no atom "
             "has; default: its Atom Type Labels"},
    {.name = "bond-types", .argument = "CP,...", .help = "the same of bonds"},
    {.name = "angle-types", .argument = "CPG,...", .help = "the same of angles"},
    {.name = "ids",
     .file = FILE_WRITTEN,
     .argument = "FILE",
     .help = "write a table of beads and their ids in the file"},
    {0},
};

static const char agreement[] =
    "Of LAMMPS files: masses, inertias, charges and dipole moments are those of the "
    "force field; what the file says\n"
    "of them, and its coefficients and styles, must agree with it.\n";

/* Dies with STATUS_INPUT if the table of ids cannot be written, or would replace a file. */
static void ids_check(const struct ranks *r, const char *path)
{
  if (r->rank == 0 && path) {
    path_check_text(path);
    if (path_exists(path)) die(STATUS_INPUT, "--ids: %s exists: name another file", path);
  }
  ranks_barrier(r);
}

/* Written after the state: an import that fails leaves no table, and can be repeated. Rank 0. */
static void ids_write(const char *path, const char *source, const int64_t *id, int64_t n)
{
  char *target = path_target(path), *temporary = path_with(target, ".tmp");
  FILE *out = path_create(temporary);
  if (!out) die(STATUS_IO, "--ids: cannot write '%s': %s", temporary, strerror(errno));
  fprintf(out, "# bead, from 1, and its id in %s\n", source);
  for (int64_t k = 0; k < n; k++)
    fprintf(out, "%lld %lld\n", (long long)k + 1, (long long)id[k]);
  const int failed = replace_finish(out);
  if (failed) {
    unlink(temporary);
    die(STATUS_IO, "--ids: cannot write '%s': %s; the state is written", path, strerror(failed));
  }
  replace_file(temporary, target);
  free(temporary);
  free(target);
}

/* The system of a LAMMPS data file, on all ranks. id: NULL, or receives its ids on rank 0. */
static struct system *import_lammps(struct ranks *r, const struct arguments *a, int64_t **id)
{
  static const int once[3] = {1, 1, 1};
  const char *forcefield = arguments_value(a, "forcefield");
  const struct lammps_options given = {arguments_value(a, "types"),
                                       arguments_value(a, "bond-types"),
                                       arguments_value(a, "angle-types")};
  static const char *const gromacs[] = {"mdp",    "ndx",     "group",    "run",
                                        "define", "include", "reference"};
  for (size_t k = 0; k < sizeof gromacs / sizeof gromacs[0]; k++)
    if (arguments_value(a, gromacs[k]))
      die_all(STATUS_INPUT, "import: --%s is for GROMACS files", gromacs[k]);
  if (!forcefield) die_all(STATUS_INPUT, "import: --forcefield=NAME is missing");
  if (arguments_operand(a, 1))
    die_all(STATUS_INPUT, "import takes one LAMMPS data file: what is '%s'?",
            arguments_operand(a, 1));
  /* Rank 0 reads everything, so that mistakes are reported once. */
  struct system *whole = NULL;
  if (r->rank == 0)
    whole = lammps_import(arguments_operand(a, 0), forcefield_load(forcefield), &given, id);
  ranks_barrier(r);
  struct system *s = replicate_whole(r, whole, once, forcefield_load(forcefield));
  system_destroy(whole);
  return s;
}

/* 1 for GROMACS files, 0 for LAMMPS files. */
static int is_gromacs(const struct arguments *a)
{
  const char *format = arguments_value(a, "format"), *path = arguments_operand(a, 0);
  const char *dot = strrchr(path, '.');
  if (format) return !strcmp(format, "gromacs");
  if (!dot || strcmp(dot, ".top") != 0) {
    text_require_file(path);
    file_kind_require(path, FILE_TOP, "a topology");
    die_all(STATUS_INPUT, "import: what is '%s'? Give --format=gromacs or --format=lammps-data",
            path);
  }
  return 1;
}

static int import_run(struct ranks *r, const struct arguments *a)
{
  const char *output = arguments_value(a, "output"), *ids = arguments_value(a, "ids");
  const int gromacs = is_gromacs(a);
  int64_t *id = NULL;
  struct imported in = {0};
  if (gromacs && !arguments_operand(a, 1)) {
    import_gromacs_forcefield(r, a);
    return STATUS_DONE;
  }
  if (!output)
    die_all(STATUS_INPUT, "import: --output=START.h5 is missing; see lamella import --help");
  path_check(r, output);
  ids_check(r, ids);
  char *target = path_target(output);
  int lock = lock_take(r, target);
  struct system *s = gromacs ? import_gromacs(r, a, &in) : import_lammps(r, a, ids ? &id : NULL);
  summary_require_kernels(r, s);
  state_write(r, output, s, NULL);
  import_gromacs_write(r, a, &in);
  if (r->rank == 0 && id) ids_write(ids, arguments_operand(a, 0), id, s->n_total);
  free(id);
  summary_print(r, s, NULL, 1);
  summary_box_suffices(r, s, 1);
  if (r->rank == 0) printf("written      %s\n", output);
  system_destroy(s);
  lock_release(r, target, lock);
  free(target);
  return STATUS_DONE;
}

const struct command command_import = {
    .name = "import",
    .operands = "TOPOL.top [CONF.gro] | FILE",
    .least = 1,
    .most = 2,
    .summary = "Turns files of another program into a state file",
    .more = agreement,
    .option = options,
    .run = import_run,
};
