/* The commands of the program. To add one: its file with a struct command, a line here, and its
   place in the list in main.c. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "cli/options.h"
#include "mpi/comm/ranks.h"

extern const struct command command_analyze;
extern const struct command command_build;
extern const struct command command_convert;
extern const struct command command_energy;
extern const struct command command_export;
extern const struct command command_forcefield;
extern const struct command command_import;
extern const struct command command_info;
extern const struct command command_ions;
extern const struct command command_map;
extern const struct command command_run;
extern const struct command command_umbrella;

#endif
