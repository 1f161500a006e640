/* lamella import topol.top conf.gro -o START.h5
   lamella import topol.top --forcefield=FF.yaml
   lamella import FILE --format=lammps-data --forcefield=NAME -o START.h5 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/log.h"
#include "base/path.h"
#include "base/replace.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "import/gromacs_import.h"
#include "import/gromacs_rule.h"
#include "import/lammps.h"
#include "input/forcefield_file.h"
#include "io/path_check.h"
#include "setup/replicate.h"

static const struct option_help options[] = {
    {"format", "gromacs|lammps-data", NULL,
     .help = "gromacs: a topology and a configuration (.gro or PDB), the default for files *.top; "
             "lammps-data: units real, atom_style hybrid angle dipole sphere",
     .letter = "f",
     .hint =
         "; run parameters of GROMACS: lamella import topol.top conf.gro --mdp=FILE -o START.h5"},
    {"forcefield", "NAME", NULL,
     .help = "of LAMMPS files the force field, a name or path; of GROMACS files the file that the "
             "force field made is written to",
     .file = FILE_WRITTEN, .letter = "F"},
    {"output", "START.h5", NULL,
     .help = "the state file; a topology without a configuration makes none", .file = FILE_WRITTEN,
     .letter = "o"},
    {"mdp", "FILE", NULL,
     .help = "GROMACS: run parameters; several files are the stages of a run, in their order; "
             "without them pairs end as Martini recommends",
     .file = FILE_READ},
    {"substitute", "WORD:WORD,...", NULL,
     .help = "GROMACS: take values of --mdp for others, as nose-hoover:v-rescale; may be repeated"},
    {"ndx", "FILE", NULL, .help = "GROMACS: index file with the groups that --mdp names",
     .file = FILE_READ, .letter = "n"},
    {"group", "NAME=MOLECULE,...", NULL,
     .help = "GROMACS: a group that --mdp names, of molecule types; may be repeated"},
    {"run", "RUN.yaml", NULL, .help = "GROMACS: write the run file that --mdp means",
     .file = FILE_WRITTEN},
    {"observe", "KIND,...", NULL,
     .help = "GROMACS: observables that the run file of --run measures, as membrane,density"},
    {"minimise", "N", NULL,
     .help = "GROMACS: the run file of --run begins with a stage that minimises by at most N "
             "steps"},
    {"define", "NAME[=VALUE]", NULL,
     .help = "GROMACS: define a macro of the preprocessor; may be repeated", .letter = "D"},
    {"include", "FOLDER", NULL,
     .help = "GROMACS: look for included files there too, before GMXLIB; may be repeated",
     .letter = "I"},
    {"reference", "REF.gro", NULL,
     .help = "GROMACS: the places of position restraints, grompp -r; default: where the beads are "
             "when the run begins",
     .file = FILE_READ, .letter = "r"},
    {"table", "FILE", "table.xvg",
     .help = "GROMACS: user tables of pairs, mdrun -table; FILE_A_B.xvg of two energy groups",
     .file = FILE_READ},
    {"tableb", "FILE", NULL,
     .help = "GROMACS: user tables of bonded terms, mdrun -tableb: files *_b0.xvg, *_a0.xvg, "
             "*_d0.xvg, or the name without these endings (default: table.xvg); may be repeated",
     .file = FILE_READ},
    {"names", "check|topology", "check",
     .help = "GROMACS: names of atoms must agree, or those of the topology hold"},
    {"types", "W,C,...", NULL,
     .help = "names of the force field for types 1, 2, ... of the file, '-' for one that no atom "
             "has; default: its Atom Type Labels"},
    {"bond-types", "CP,...", NULL, .help = "the same of bonds"},
    {"angle-types", "CPG,...", NULL, .help = "the same of angles"},
    {"ids", "FILE", NULL, .help = "write a table of beads and their ids in the file",
     .file = FILE_WRITTEN},
    {0},
};

static const char agreement[] =
    "Of LAMMPS files: masses, inertias, charges and dipole moments are those of the "
    "force field; what the file says\n"
    "of them, and its coefficients and styles, must agree with it.\n";

/* A text file that replaces another. Rank 0. */
static void write_text(const char *path, const char *text)
{
  struct replacement file = replacement_open(path);
  fputs(text, file.out);
  replacement_close(&file);
  printf("written      %s\n", path);
}

/* Dies with STATUS_INPUT if the table of ids cannot be written, or would replace a file. */
static void ids_check(const struct ranks *r, const char *path)
{
  if (r->rank == 0 && path) {
    path_check_text(path);
    if (path_exists(path)) die(STATUS_INPUT, "--ids: %s exists: name another file", path);
  }
  ranks_barrier(r);
}

static void ids_write(const char *path, const char *source, const int64_t *id, int64_t n)
{
  struct replacement file = replacement_open(path);
  fprintf(file.out, "# bead, from 1, and its id in %s\n", source);
  for (int64_t k = 0; k < n; k++)
    fprintf(file.out, "%lld %lld\n", (long long)k + 1, (long long)id[k]);
  replacement_close(&file);
}

/* The system of a LAMMPS data file, on all ranks. id: NULL, or receives its ids on rank 0. */
static struct system *import_lammps(struct ranks *r, const struct arguments *a, int64_t **id)
{
  static const int once[3] = {1, 1, 1};
  const char *forcefield = arguments_value(a, "forcefield");
  const struct lammps_options given = {arguments_value(a, "types"),
                                       arguments_value(a, "bond-types"),
                                       arguments_value(a, "angle-types")};
  if (!forcefield) die_all(STATUS_INPUT, "import: --forcefield=NAME is missing");
  if (arguments_operand(a, 1))
    die_all(STATUS_INPUT, "import takes one LAMMPS data file: what is '%s'?",
            arguments_operand(a, 1));
  /* Rank 0 reads everything, so that mistakes are reported once. */
  struct system *whole = NULL;
  if (r->rank == 0)
    whole = lammps_import(arguments_operand(a, 0), forcefield_load(forcefield), &given, id);
  ranks_barrier(r);
  struct system *s = replicate_whole(
      r, whole, once, whole ? forcefield_share(whole->ff) : forcefield_load(forcefield));
  system_destroy(whole);
  return s;
}

static void check_gromacs(const struct ranks *r, const struct gromacs_request *q,
                          const struct arguments *a)
{
  const char *forcefield = arguments_value(a, "forcefield"), *run = arguments_value(a, "run");
  if (run && !q->n_mdp)
    die_all(STATUS_INPUT, "import: --run needs --mdp=FILE, of which it is made");
  if ((q->ndx || q->n_groups) && !q->n_mdp)
    die_all(STATUS_INPUT, "import: --%s is for the groups of --mdp=FILE, which is missing",
            q->ndx ? "ndx" : "group");
  if (q->n_substitutes && !q->n_mdp)
    die_all(STATUS_INPUT, "import: --substitute is for the words of --mdp=FILE, which is missing");
  if ((q->observe || q->minimise) && !run)
    die_all(STATUS_INPUT, "import: --%s is for the run file of --run=RUN.yaml, which is missing",
            q->observe ? "observe" : "minimise");
  if (forcefield) path_check(r, forcefield);
  if (run) path_check(r, run);
  if (!q->gro && (!forcefield || q->state || run))
    die_all(STATUS_INPUT,
            "import: give the configuration too: lamella import topol.top conf.gro; without one "
            "--forcefield=FILE alone is written");
}

/* The system of GROMACS files, on all ranks, and on rank 0 the texts of other outputs. */
static struct system *import_gromacs(const struct ranks *r, const struct arguments *a,
                                     struct gromacs_imported *out)
{
  const char *names = arguments_value(a, "names"), *file;
  struct gromacs_request q = {.top = arguments_operand(a, 0),
                              .gro = arguments_operand(a, 1),
                              .ndx = arguments_value(a, "ndx"),
                              .reference = arguments_value(a, "reference"),
                              .state = arguments_value(a, "output"),
                              .observe = arguments_value(a, "observe"),
                              .minimise = arguments_int(a, "minimise", 0, INT64_MAX, 0),
                              .renamed = !strcmp(names, "topology"),
                              .tables.pairs = arguments_value(a, "table")};
  const char **define = arguments_values(a, "define", &q.options.n_defines);
  const char **folder = arguments_values(a, "include", &q.options.n_folders);
  const char **group = arguments_values(a, "group", &q.n_groups);
  const char **mdp = arguments_values(a, "mdp", &q.n_mdp);
  const char **substitute = arguments_values(a, "substitute", &q.n_substitutes);
  q.options.define = define;
  q.options.folder = folder;
  q.group = group;
  q.mdp = mdp;
  q.substitute = substitute;
  const char **tableb = arguments_values(a, "tableb", &q.tables.n_bonded);
  q.tables.bonded = tableb;
  check_gromacs(r, &q, a);
  struct system *s = gromacs_import(r, &q, out);
  for (const struct gromacs *g = r->rank == 0 ? out->topology : NULL; g; g = g->next)
    for (int k = 0; (file = gromacs_text_file(g->topology->text, k)); k++)
      arguments_spare(a, file);
  free(define);
  free(folder);
  free(group);
  free(mdp);
  free(substitute);
  free(tableb);
  return s;
}

/* 1 for GROMACS files, 0 for LAMMPS files. */
static int is_gromacs(const struct arguments *a)
{
  const char *format = arguments_value(a, "format"), *path = arguments_operand(a, 0);
  if (format) return !strcmp(format, "gromacs");
  if (!path_ends(path, ".top")) {
    text_require_file(path);
    file_kind_require(path, FILE_TOP, "a topology");
    die_all(STATUS_INPUT, "import: what is '%s'? Give --format=gromacs or --format=lammps-data",
            path);
  }
  return 1;
}

/* Outputs beside the state, after it: an import that fails leaves none, and can be repeated. */
static void write_others(const struct ranks *r, const struct arguments *a,
                         const struct gromacs_imported *in, const int64_t *id, int64_t n)
{
  const char *forcefield = arguments_value(a, "forcefield"), *run = arguments_value(a, "run");
  if (r->rank != 0) return;
  if (in->forcefield && forcefield) write_text(forcefield, in->forcefield);
  if (in->run && run) write_text(run, in->run);
  if (id) ids_write(arguments_value(a, "ids"), arguments_operand(a, 0), id, n);
}

static int import_run(struct ranks *r, const struct arguments *a)
{
  static const char *const of_gromacs[] = {"mdp",      "ndx",        "group",     "run",
                                           "define",   "include",    "reference", "observe",
                                           "minimise", "substitute", "table",     "tableb",
                                           NULL},
                           *const of_lammps[] = {"types", "bond-types", "angle-types", "ids", NULL};
  const char *output = arguments_value(a, "output"), *ids = arguments_value(a, "ids");
  const int gromacs = is_gromacs(a), has_state = !gromacs || arguments_operand(a, 1);
  int64_t *id = NULL;
  struct gromacs_imported in = {0};
  struct output_file out = {0};
  if (gromacs) arguments_refuse(a, of_lammps, "LAMMPS data files");
  if (!gromacs) arguments_refuse(a, of_gromacs, "GROMACS files");
  if (has_state && !output)
    die_all(STATUS_INPUT, "import: --output=START.h5 is missing; see lamella import --help");
  ids_check(r, ids);
  if (has_state) out = output_file_lock(r, output);
  struct system *s = gromacs ? import_gromacs(r, a, &in) : import_lammps(r, a, ids ? &id : NULL);
  if (s) output_file_state(&out, s, NULL, 1);
  write_others(r, a, &in, id, s ? s->n_total : 0);
  if (s) output_file_release(&out);
  gromacs_imported_free(&in);
  system_destroy(s);
  free(id);
  return STATUS_DONE;
}

const struct command command_import = {
    .name = "import",
    .operands = "TOPOL.top [CONF.gro] | FILE",
    .least = 1,
    .most = 2,
    .summary = "Turns files of another program into a state file",
    .more = agreement,
    .print_more = gromacs_rules_print,
    .option = options,
    .run = import_run,
};
