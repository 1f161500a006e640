/* Carries the halo messages of a rank to and from its peers: the ranks that struct domain names.

   To add one: transport_<name>.c with a struct transport_ops, a line in the registry of
   transport.c, the file in local.mk. Every transport passes the start-up self-test and
   test_mpi_transport. Buffers belong to the transport, so that it can hand out device memory, a
   neighbour's memory or pinned host memory. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdint.h>

#include "backend/backend.h"
#include "mpi/comm/ranks.h"

struct transport;

struct transport_ops {
  const char *name;
  /* The answer of this rank, with a reason where it is no. on_device: buffers are device memory, of
     the GPU that is set. All ranks ask at the same time and may try it out together. */
  int (*usable)(const struct ranks *r, int on_device, char *why, int size);
  void (*open)(struct transport *t);
  /* Makes room for messages of send_bytes and receive_bytes; at list builds only. */
  void (*reserve)(struct transport *t);
  void (*start)(struct transport *t);  /* send buffers are packed */
  void (*finish)(struct transport *t); /* receive buffers are filled; send buffers are free */
  void (*close)(struct transport *t);  /* collective */
  /* 1, and why, where it is known by now that a message did not arrive. NULL: finish sees to it. */
  int (*lost)(struct transport *t, char *why, int size);
  /* NULL: the hosts take part in messages. Else they do not: all is in the order of the channel's
     stream. Raises the channel's *flag_global to the largest *flag_local of all ranks; start and
     finish may do so too. */
  void (*allreduce_max)(struct transport *t);
  /* Then: replaces n words of device memory by their sums over all ranks, in the order of the
     stream. Else NULL: the hosts do it. */
  void (*sum)(struct transport *t, int64_t *word, int n);
};

enum { TRANSPORT_WORDS = 48 }; /* of a sum in one message */

struct transport {
  const struct transport_ops *ops;
  const struct ranks *ranks;
  /* NULL: buffers are host memory. Else they are device memory, and start and finish are in the
     order of its stream. */
  struct device_channel *channel;
  int tested; /* the start-up test is over */
  int n_peers, peer[PEERS_MOST];
  /* The rest by peer. Sizes of the next messages, and what the buffers hold. */
  int64_t send_bytes[PEERS_MOST], receive_bytes[PEERS_MOST];
  int64_t send_room[PEERS_MOST], receive_room[PEERS_MOST];
  /* Where the next message is packed, and the last one lies: may change with reserve and finish. */
  void *send[PEERS_MOST], *receive[PEERS_MOST];
  void *private_data;
};

/* Those that this program has, in order of preference, and NULL. */
extern const struct transport_ops *const transport_all[];
/* A line with their names, to stdout. */
void transport_list(void);
/* The one of that name, or for "auto" the first that all ranks can use; tested with known data.
   Between this rank and the peers of d. channel: NULL for buffers in host memory; else that of the
   backend, to which the check of the transport is added. Status 2 with the reason. Collective. */
void transport_open(struct transport *t, const struct ranks *r, const char *name,
                    const struct domain *d, struct device_channel *channel);
void transport_close(struct transport *t);
/* Sets the sizes of the next messages; buffers hold at least that afterwards. Collective among
   peers, who agree on the sizes. */
void transport_reserve(struct transport *t, const int64_t send[PEERS_MOST],
                       const int64_t receive[PEERS_MOST]);
/* Sizes of messages within what is reserved. Local. */
void transport_resize(struct transport *t, const int64_t send[PEERS_MOST],
                      const int64_t receive[PEERS_MOST]);
void transport_start(struct transport *t);
void transport_finish(struct transport *t);
/* Raises the channel's *flag_global to the largest *flag_local of all ranks, in the order of the
   stream; where ops->allreduce_max. Not between a start and its finish. Collective. */
void transport_allreduce_flag(struct transport *t);
/* Replaces n words by their sums over all ranks; words in device memory, in the order of the
   stream, if there is a channel. Wraps. Not between a start and its finish. Collective. */
void transport_sum(struct transport *t, int64_t *word, int n);
/* Status 3 where a message is known to be lost. After a wait for the device every lost one is
   known; before that wait, nothing computed from a message may leave the device or be used as an
   index unchecked. Local. */
void transport_check(struct transport *t);
/* For transports that pack into and unpack from device memory of their own. */
void transport_buffers_grow(struct transport *t);
void transport_buffers_free(struct transport *t);
/* What a halo message will hold, to and from each peer, through MPI. */
void transport_counts(struct transport *t, const struct halo_count send[PEERS_MOST],
                      struct halo_count receive[PEERS_MOST]);
/* For tests: host data into the send buffer of a peer, stored as packing kernels do, and from its
   receive buffer. They wait for the device. */
void transport_put(struct transport *t, int k, const void *data, int64_t bytes);
void transport_get(struct transport *t, int k, void *data, int64_t bytes);

#endif
