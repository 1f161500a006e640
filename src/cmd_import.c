/* lamella import FILE --format=lammps-data --forcefield=NAME -o START.h5 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "lammps.h"
#include "log.h"
#include "replicate.h"
#include "state.h"
#include "summary.h"

static const char usage[] =
    "usage: lamella import FILE --format=lammps-data --forcefield=NAME -o START.h5\n\n"
    "Turns a configuration of another program into a state file.\n\n"
    "  -f, --format=lammps-data   LAMMPS data file: units real, atom_style hybrid angle dipole\n"
    "                             sphere; types of atoms, bonds and angles by their number in the\n"
    "                             force field\n"
    "  -F, --forcefield=NAME      name or path\n"
    "  -o, --output=FILE          the state file\n"
    "  -h, --help                 this text\n\n"
    "Masses, inertias, charges and dipole moments are those of the force field; charges and "
    "moments\n"
    "in the file, and coefficients where it has them, must agree with it.\n";

struct arguments {
  const char *input, *format, *forcefield, *output;
};

/* 0, or the exit status that ends the command. Done with help: -1. */
static int read_arguments(const struct ranks *r, int argc, char **argv, struct arguments *a)
{
  static const struct option options[] = {{"format", required_argument, NULL, 'f'},
                                          {"forcefield", required_argument, NULL, 'F'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  int c;
  *a = (struct arguments){0};
  optind = 1;
  opterr = r->rank == 0;
  while ((c = getopt_long(argc, argv, "f:F:o:h", options, NULL)) != -1) {
    if (c == 'f') a->format = optarg;
    if (c == 'F') a->forcefield = optarg;
    if (c == 'o') a->output = optarg;
    if (c == 'h' && r->rank == 0) fputs(usage, stdout);
    if (c == 'h') return -1;
    if (c == '?') break;
  }
  if (c != '?' && optind == argc - 1 && a->format && a->forcefield && a->output) {
    a->input = argv[optind];
    if (strcmp(a->format, "lammps-data") == 0) return 0;
    if (r->rank == 0)
      fprintf(stderr, "lamella: import: unknown format '%s'; lammps-data is the one there is\n",
              a->format);
    return STATUS_INPUT;
  }
  if (r->rank == 0)
    fputs("usage: lamella import FILE --format=lammps-data --forcefield=NAME -o START.h5; "
          "--help says more\n",
          stderr);
  return STATUS_INPUT;
}

int cmd_import(struct ranks *r, int argc, char **argv)
{
  static const int once[3] = {1, 1, 1};
  struct arguments a;
  int status = read_arguments(r, argc, argv, &a);
  if (status) return status < 0 ? STATUS_DONE : status;
  /* Rank 0 reads everything, so that mistakes are reported once. */
  struct system *whole = NULL;
  if (r->rank == 0) whole = lammps_import(a.input, forcefield_load(a.forcefield));
  ranks_barrier(r);
  struct system *s = replicate_whole(r, whole, once, forcefield_load(a.forcefield));
  system_destroy(whole);
  state_write(r, a.output, s, NULL);
  summary_print(r, s);
  summary_box_suffices(s, 1);
  if (r->rank == 0) printf("written      %s\n", a.output);
  system_destroy(s);
  return STATUS_DONE;
}
