/* `lamella import` of GROMACS files. */
#ifndef IMPORT_GROMACS_H
#define IMPORT_GROMACS_H

#include "cli/options.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Texts that an import makes; NULL: none. Owned. */
struct imported {
  char *forcefield, *run;
};

/* The system of the operands, on all ranks, and the texts. Status 2 on mistakes. Collective. */
struct system *import_gromacs(struct ranks *r, const struct arguments *a, struct imported *in);
/* Writes the texts to the files that the options name, and frees them. Rank 0 writes. */
void import_gromacs_write(const struct ranks *r, const struct arguments *a, struct imported *in);
/* Without a configuration: writes the force field of the topology, to the file that the option
   names. Status 2 on mistakes. Collective. */
void import_gromacs_forcefield(const struct ranks *r, const struct arguments *a);

#endif
