/* lamella forcefield: lists, or prints and checks one. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "input/forcefield_file.h"
#include "io/state.h"
#include "model/forcefield.h"
#include "pair/pair_pass.h"

static const struct option_help options[] = {
    {0},
};

static void print_parameters(const struct form_parameter *p)
{
  for (int k = 0; p[k].name; k++)
    printf("%s %s [%s%s]", k ? "," : "", p[k].name, p[k].unit,
           p[k].optional ? "; 0 if not given" : "");
}

/* Two lines for each form: section, name, beads and parameters with their units; then the formula.
   tools/manual_tables.sh reads them. */
static void print_forms(void)
{
  printf("\nForms of bonded terms:\n");
  for (int k = 0; k < FORMS; k++) {
    const struct bonded_form_info *f = &bonded_form_info[k];
    if (f->section >= SECTIONS_OF_FILES) continue;
    printf("  %ss  %s  %d beads ", bonded_section_name[f->section], f->name, f->beads);
    print_parameters(f->parameter);
    printf("\n      %s\n", f->formula);
  }
  printf("\nForms of virtual sites:\n");
  for (int k = 0; k < SITE_FORMS; k++) {
    const struct site_form_info *f = &site_form_info[k];
    if (f->parents)
      printf("  %s  %d beads ", f->name, f->parents);
    else
      printf("  %s  any beads  weights: one of each bead", f->name);
    print_parameters(f->parameter);
    printf("\n      %s\n", f->formula);
  }
}

static int forcefield_run(struct ranks *r, const struct arguments *a)
{
  if (a->n_operands == 0) {
    if (r->rank == 0) forcefield_list();
    return STATUS_DONE;
  }
  const char *name = arguments_operand(a, 0), *dot = strrchr(name, '.');
  if (dot && !strcmp(dot, ".h5")) {
    struct system *s = state_read(r, name);
    if (r->rank == 0) text_print("%s", s->ff->text);
    system_destroy(s);
    return STATUS_DONE;
  }
  struct forcefield *ff = forcefield_load(name);
  pair_plan_of(ff, NULL); /* ends where no kernel has what the file asks for */
  if (r->rank == 0) forcefield_print(ff);
  forcefield_destroy(ff);
  return STATUS_DONE;
}

const struct command command_forcefield = {
    .name = "forcefield",
    .operands = "[NAME or PATH or STATE.h5]",
    .least = 0,
    .most = 1,
    .summary = "Lists the force fields, or checks and prints one with all its pairs",
    .more =
        "Of a state file it prints the text of the force field inside.\n"
        "Each file names the source of its numbers. brahms (SSD water with lipids of ELBA) and\n"
        "elba-ions (ELBA with NA and CL) are this project's own parametrisations: no tables of\n"
        "BRAHMS were found, and ELBA has no ions.\n",
    .print_more = print_forms,
    .option = options,
    .run = forcefield_run,
};
