/* Which ranks of a node use the same GPU. GPUs are compared by UUID, because device numbers are not
   unique: where each rank sees one GPU only (--gpus-per-task=1 of Slurm), every GPU is number 0.
   Each rank must have set its device. A program without CUDA does not call these functions. */
#ifndef DEVICE_SHARING_H
#define DEVICE_SHARING_H

#include "mpi/comm/ranks.h"
#include "mpi/transport/device_memory.h"

/* The largest number of ranks that use the same GPU, among n ranks. Local. */
int devices_ranks_most(const struct device_uuid *device, int n);
/* The same among the ranks of a node (r->node), for the node where it is largest. 1 if every rank
   has a GPU of its own. Collective. */
int devices_shared(const struct ranks *r);

#endif
