/* How the messages of two ranks with GPUs travel. Each rank has a link to each of its peers. */
#ifndef LINK_KINDS_H
#define LINK_KINDS_H

#include "mpi/transport/transport.h"

enum link_kind {
  LINK_IPC,    /* the send buffer is memory of the peer's GPU (ipc_memory.h) */
  LINK_NCCL,   /* NCCL sends from memory of the GPU, in the stream (transport_nccl.c) */
  LINK_STAGED, /* a thread sends from host memory, by MPI (messenger.h) */
  LINK_KINDS
};

/* ipc for peers of the node whose GPUs can map each other's memory, and `other` for all others: by
   peer, the same on both ends. A warning where two ranks of a node cannot. Collective. */
void link_kinds_choose(const struct transport *t, enum link_kind other,
                       enum link_kind kind[PEERS_MOST]);
/* For the log: the peers of each rank and the kinds of their links, or, of many ranks, how many
   links there are of each kind. Collective. */
void link_kinds_print(const struct transport *t, const enum link_kind kind[PEERS_MOST]);

#endif
