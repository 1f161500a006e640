/* lamella info FILE */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "info.h"
#include "log.h"

static const char usage[] =
    "usage: lamella info FILE\n\n"
    "Says what is in a state file or trajectory: beads, box, step, time, force field, molecules,\n"
    "frames, who wrote it; and whether it is whole. Exit status 4 where it is not.\n";

int cmd_info(struct ranks *r, int argc, char **argv)
{
  if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    if (r->rank == 0) fputs(usage, stdout);
    return STATUS_DONE;
  }
  if (argc != 2 || argv[1][0] == '-') {
    if (r->rank == 0) fputs(usage, stderr);
    return STATUS_INPUT;
  }
  return info_print(r, argv[1]);
}
