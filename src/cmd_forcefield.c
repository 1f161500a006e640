/* lamella forcefield: lists, or prints and checks one. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "forcefield.h"
#include "log.h"

int cmd_forcefield(struct ranks *r, int argc, char **argv)
{
  if (argc > 2 || (argc == 2 && argv[1][0] == '-' && strcmp(argv[1], "--help")))
    die_all(STATUS_INPUT, "usage: lamella forcefield [NAME or PATH]");
  if (argc == 2 && !strcmp(argv[1], "--help")) {
    if (r->rank == 0) printf("Usage: lamella forcefield [NAME or PATH]\n");
    return STATUS_DONE;
  }
  if (argc == 1) {
    if (r->rank == 0) forcefield_list();
    return STATUS_DONE;
  }
  struct forcefield *ff = forcefield_load(argv[1]);
  if (r->rank == 0) forcefield_print(ff);
  forcefield_destroy(ff);
  return STATUS_DONE;
}
