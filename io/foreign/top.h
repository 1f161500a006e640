/* Writing of GROMACS topologies (.top). */
#ifndef TOP_H
#define TOP_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Writes the force field and the molecules of a system in the order of their ids. Dies with
   STATUS_INPUT if GROMACS has no form for what the force field has, with STATUS_IO if writing
   fails. Collective. */
void top_write(const struct ranks *r, const char *path, const struct system *s);

#endif
