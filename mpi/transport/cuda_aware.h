/* Whether MPI takes device memory. */
#ifndef CUDA_AWARE_H
#define CUDA_AWARE_H

#include "mpi/comm/ranks.h"

/* 1 if MPI says on all ranks that it takes device memory, and device memory sent to the next rank
   arrives; else 0 with the reason in why[size]. The caller agrees on the result of the test over
   ranks (ranks_agree). Collective. */
int cuda_aware_works(const struct ranks *r, char *why, int size);

#endif
