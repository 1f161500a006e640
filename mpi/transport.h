/* Carries the halo messages of a rank to and from the ranks that share a face with it: none, one
   (two ranks: each bead travels once even when both faces need it) or two.

   To add one: transport_<name>.c with a struct transport_ops, a line in the registry of
   transport.c, the file in local.mk. Every transport passes the start-up self-test and
   test_mpi_transport. Buffers belong to the transport, so that it can hand out device memory, a
   neighbour's memory or pinned host memory. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdint.h>

#include "backend.h"
#include "ranks.h"

struct transport;

struct transport_ops {
  const char *name;
  /* Local answer, with a reason where it is no. on_device: buffers are device memory. */
  int (*usable)(const struct ranks *r, int on_device, char *why, int size);
  void (*open)(struct transport *t);
  /* Makes room for messages of this many bytes; at list builds only. */
  void (*reserve)(struct transport *t);
  void (*start)(struct transport *t);  /* send buffers are packed */
  void (*finish)(struct transport *t); /* receive buffers are filled; send buffers are free */
  void (*close)(struct transport *t);
};

struct transport {
  const struct transport_ops *ops;
  const struct ranks *ranks;
  int on_device;
  int n_peers, peer[PEERS];
  int64_t send_bytes[PEERS], receive_bytes[PEERS];
  int64_t send_room[PEERS], receive_room[PEERS];
  void *send[PEERS], *receive[PEERS];
  void *stream; /* on_device: the queue that packs and unpacks the buffers */
  void *private_data;
};

/* The one of that name, or for "auto" the first that all ranks can use; tested with known data.
   Status 2 with the reason. Collective. */
void transport_open(struct transport *t, const struct ranks *r, const char *name, int on_device);
void transport_close(struct transport *t);
/* Sets the sizes of the next messages; buffers hold at least that afterwards. Collective among
   peers, who agree on the sizes. */
void transport_reserve(struct transport *t, const int64_t send[PEERS],
                       const int64_t receive[PEERS]);
/* Sizes of messages within what is reserved. Local. */
void transport_resize(struct transport *t, const int64_t send[PEERS], const int64_t receive[PEERS]);
void transport_start(struct transport *t);
void transport_finish(struct transport *t);
/* One number to and from each peer, through MPI. */
void transport_counts(struct transport *t, const int64_t send[PEERS], int64_t receive[PEERS]);

#endif
