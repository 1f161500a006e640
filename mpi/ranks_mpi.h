/* The MPI side of struct ranks, for mpi/ and io/ only. */
#ifndef RANKS_MPI_H
#define RANKS_MPI_H

#include <mpi.h>

#include "ranks.h"

struct ranks_mpi {
  MPI_Comm comm;    /* all ranks; point-to-point messages of the caller */
  MPI_Comm private; /* all ranks; of ranks.c alone, so that no tag can meet another's */
  MPI_Request maximum;
  double maximum_in, maximum_out;
};

MPI_Comm ranks_comm(const struct ranks *r);

#endif
