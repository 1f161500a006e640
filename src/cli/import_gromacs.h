/* `lamella import` of GROMACS files. */
#ifndef IMPORT_GROMACS_H
#define IMPORT_GROMACS_H

#include "cli/options.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* The system of the operands, on all ranks; writes the force field and the run file that the
   options name. Status 2 on mistakes. Collective. */
struct system *import_gromacs(struct ranks *r, const struct arguments *a);
/* Without a configuration: writes the force field of the topology, to the file that the option
   names. Status 2 on mistakes. Collective. */
void import_gromacs_forcefield(const struct ranks *r, const struct arguments *a);

#endif
