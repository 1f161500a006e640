/* Which ranks of a node compute on the same GPU. GPUs are told apart by their UUIDs: where a job
   lets each rank see one GPU only (--gpus-per-task=1 of Slurm), each calls its own number 0. For
   ranks whose GPU is set; a program without CUDA does not call these functions. */
#ifndef DEVICE_SHARING_H
#define DEVICE_SHARING_H

#include "mpi/comm/ranks.h"
#include "mpi/transport/device_memory.h"

/* The GPU of each rank of this node, by local rank. Collective; caller frees. */
struct device_uuid *devices_of_node(const struct ranks *r);
/* The largest number of ranks that have one GPU, among n ranks. Local. */
int devices_ranks_most(const struct device_uuid *device, int n);
/* The same over all nodes; 1: every rank has a GPU of its own. Collective. */
int devices_shared(const struct ranks *r);

#endif
