/* The transports of GPUs whose ranks have a link of some kind to each peer, for the files that
   define their tables of functions. Functions do what struct transport_ops says. */
#ifndef TRANSPORT_LINKS_H
#define TRANSPORT_LINKS_H

#include "mpi/transport/messenger.h"
#include "mpi/transport/transport.h"

enum link_kind {
  LINK_IPC,    /* the send buffer is memory of the peer's GPU (ipc_memory.h) */
  LINK_NCCL,   /* NCCL sends from memory of the GPU, in the stream (transport_nccl.c) */
  LINK_STAGED, /* a thread sends from host memory, by MPI (messenger.h) */
  LINK_KINDS
};

/* 1 if there are several ranks and their beads are in the memory of GPUs. */
int links_possible(const struct transport *t, char *why, int size);
/* Opens the links: of the kind `other` to all peers or, with within_nodes, to those that ipc does
   not reach; both ends of a link find the same kind. group: what carries reductions and links of
   LINK_NCCL, for the functions that use it; NULL: a messenger does, and LINK_STAGED. */
void links_open(struct transport *t, enum link_kind other, int within_nodes, void *group);
void *links_group(const struct transport *t);
/* The messages of the links of a kind: their number. */
int links_parcels(const struct transport *t, enum link_kind kind, struct parcel parcel[PEERS_MOST]);
void links_print(struct transport *t);
void links_reserve(struct transport *t);
struct device_signal links_begin(struct transport *t);
struct device_wait links_receive(struct transport *t);
void links_close(struct transport *t);
int links_lost(struct transport *t, char *why, int size);

/* What the tables of all of them have. */
#define LINKS_OPS                                                                                  \
  .print = links_print, .reserve = links_reserve, .begin = links_begin, .receive = links_receive

#endif
