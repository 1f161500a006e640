/* The way that messages between two ranks with GPUs take: each rank has a link to each of its
   peers. */
#ifndef LINK_KINDS_H
#define LINK_KINDS_H

#include "mpi/transport/transport.h"

enum link_kind {
  LINK_IPC,    /* the send buffer is memory of the peer's GPU (ipc_memory.h) */
  LINK_NCCL,   /* NCCL sends from memory of the GPU, in the stream (transport_nccl.c) */
  LINK_STAGED, /* a thread sends from host memory, by MPI (messenger.h) */
  LINK_KINDS
};

/* By peer: the kind of the link, the same on both ends, and whether the peer is on the node of this
   rank. why: the reason of the first link within the node that is not ipc. */
struct link_kinds {
  enum link_kind kind[PEERS_MOST];
  int here[PEERS_MOST];
  char why[400];
};

/* ipc for peers of the node whose GPUs can map each other's memory, and `other` for all others.
   Collective. */
void link_kinds_choose(const struct transport *t, enum link_kind other, struct link_kinds *to);
/* For the log: the peers of each rank and the kinds of their links, or, of many ranks, how many
   links there are of each kind. Warns of links within a node that are not ipc. Collective. */
void link_kinds_print(const struct transport *t, const struct link_kinds *to);

#endif
