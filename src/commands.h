/* The commands of the program. argv[0] is the command's own name; the result is the exit status.
   Collective. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "ranks.h"

int cmd_build(struct ranks *r, int argc, char **argv);
int cmd_energy(struct ranks *r, int argc, char **argv);
int cmd_forcefield(struct ranks *r, int argc, char **argv);
int cmd_import(struct ranks *r, int argc, char **argv);
int cmd_info(struct ranks *r, int argc, char **argv);
int cmd_run(struct ranks *r, int argc, char **argv);

#endif
