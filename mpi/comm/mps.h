/* Ranks that share a GPU do so through MPS, the Multi-Process Service of NVIDIA: kernels of several
   processes then run at the same time, where the GPU would else switch between the processes. Where
   no MPS runs, the first rank of a node starts one for this job, with a folder of its own. It is
   stopped by a keeper, a process beside the ranks, when the last rank of the node has ended, in
   whatever way. */
#ifndef MPS_H
#define MPS_H

#include <sys/types.h>

#include "mpi/comm/gpus_visible.h"

enum mps_state {               /* in the order in which nodes are reported: the last of all is */
                 MPS_UNNEEDED, /* every rank that uses a GPU has one of its own */
                 MPS_FOUND,    /* one runs on this node, and serves the ranks */
                 MPS_STARTED,  /* by this job */
                 MPS_LACKING   /* GPUs are shared without MPS */
};

/* Written by mpi/comm/mps.c. */
struct mps {
  enum mps_state state;
  int ranks, gpus; /* of that node: ranks that use GPUs, GPUs that they see */
  char why[512];   /* MPS_LACKING: the reason, and what to do */
  int lifeline;    /* the keeper waits until no rank has this file open; -1: none */
  pid_t keeper;    /* on the rank that has started it; 0 on others */
};

/* What a rank says of itself. */
struct mps_rank {
  int uses_gpu;     /* 1: it will use a GPU */
  int is_forbidden; /* 1: MPS must not be started */
  int in_use;       /* gpus_in_use */
  struct gpus_visible gpus;
};

/* What becomes of n ranks of a node; of these uses only what is above, and the environment: whether
   an MPS runs. MPS_STARTED: one is to be started. Sets all but lifeline and keeper. Local. */
void mps_decide(struct mps *m, const struct mps_rank *rank, int n);
/* This program, called with this word alone, ends with status 0 if it can use the GPUs. */
#define MPS_TRIAL "--try-gpus"
/* Decides, and starts MPS where it helps and a trial can use the GPUs through it. Sets variables of
   the environment that CUDA reads: call it before CUDA is initialised. Collective over all ranks
   of the program, in all groups. */
void mps_open(struct mps *m, const struct mps_rank *self);
/* Says in the log that GPUs are shared. Local. */
void mps_say(const struct mps *m);
/* For a process that has not used MPS: waits for the end of the MPS that it has started, at most
   some seconds; the keeper goes on where it takes longer. Local. */
void mps_close(struct mps *m);

#endif
