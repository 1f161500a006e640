/* Sends and receives the halo messages of a rank and its peers, the ranks that struct domain lists.

   To add a transport: transport_<name>.c with a struct transport_ops, a line in the list of
   transport.c, the file in local.mk. Every transport passes the start-up self-test and
   test_mpi_transport. The buffers belong to the transport: they may be device memory, memory of a
   peer, or pinned host memory. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <limits.h>
#include <stdint.h>

#include "backend/backend.h"
#include "backend/device_lines.h"
#include "base/log.h"
#include "mpi/comm/ranks.h"

struct transport;

/* A message takes four calls: begin, the packing of the send buffers, send, and receive. All but
   usable may be NULL, where a transport has nothing to do. */
struct transport_ops {
  const char *name;
  /* 1 if this rank can use the transport, else 0 with the reason in why[size]. Ranks, channel and
     peers of t are set. Collective: the ranks may exchange test messages. */
  int (*usable)(const struct transport *t, char *why, int size);
  void (*open)(struct transport *t);
  void (*print)(struct transport *t); /* for the log, of the transport that was chosen */
  /* Makes room for messages of t->send_bytes and t->receive_bytes. At list builds only. Collective
     among peers. */
  void (*reserve)(struct transport *t);
  /* Begins the next message: returns the signal that must be written when all is packed. NULL:
     none. */
  struct device_signal (*begin)(struct transport *t);
  /* What else sends the packed buffers: at once or, with a channel, enqueued in its stream. */
  void (*send)(struct transport *t);
  /* Returns what must be waited for, after all earlier work of the channel's stream, before the
     receive buffers are read; then the send buffers may be packed again. What waits in another
     stream must end before the next message. NULL: nothing. */
  struct device_wait (*receive)(struct transport *t);
  void (*close)(struct transport *t); /* collective */
  /* 1, with the reason in why[size], if a message is known to be lost. NULL: receive ends the
     program itself. Local. */
  int (*lost)(struct transport *t, char *why, int size);
  /* The same calls for a reduction: after flag_finish *flag_global is the maximum over ranks of
     *flag_local as it is when the signal is written. Enqueued in the channel's stream. begin and
     receive may do the same. */
  struct device_signal (*flag_begin)(struct transport *t);
  void (*flag_send)(struct transport *t);
  void (*flag_finish)(struct transport *t);
  /* Enqueues a sum over ranks of n words of device memory, at most DEVICE_WORDS, in place. NULL:
     hosts add the words, which are in host memory. */
  void (*sum)(struct transport *t, int64_t *word, int n);
};

struct transport {
  /* Written by mpi/transport/transport.c. */
  const struct transport_ops *ops;
  const struct ranks *ranks;
  /* Borrowed. NULL: buffers are host memory. Else they are device memory, and messages are enqueued
     in its stream: no host waits for them. */
  struct device_channel *channel;
  int tested; /* 1 after the start-up test */
  int n_peers, peer[PEERS_MOST];
  int64_t send_bytes[PEERS_MOST], receive_bytes[PEERS_MOST]; /* of the next messages, by peer */

  /* Written by mpi/transport/transport_host.c, mpi/transport/transport_links.c and
     mpi/transport/ipc_memory.c: by the kind that is in use. By peer: sizes of the buffers in bytes;
     buffers of the next message to send and of the last message received. They may change in
     reserve and receive. */
  int64_t send_room[PEERS_MOST], receive_room[PEERS_MOST];
  void *send[PEERS_MOST], *receive[PEERS_MOST];
  void *private_data;
};

/* The transports of this program, in order of preference; ends with NULL. */
extern const struct transport_ops *const transport_all[];
/* Prints their names in one line to stdout. Local. */
void transport_list(void);
/* Opens the transport of that name, or for "auto" the first that all ranks can use, and tests it
   with known data. auto measures ipc+nccl and ipc+staged and takes the faster. It connects this
   rank with the peers of d. channel: NULL for buffers in host memory; else that of the backend,
   whose check is set. Status 2 with the reason if it cannot be used. Collective. */
void transport_open(struct transport *t, const struct ranks *r, const char *name,
                    const struct domain *d, struct device_channel *channel);
/* Collective. */
void transport_close(struct transport *t);
/* Sets the sizes of the next messages, and makes the buffers at least as large. The two sides of a
   message give the same size. Collective among peers. */
void transport_reserve(struct transport *t, const int64_t send[PEERS_MOST],
                       const int64_t receive[PEERS_MOST]);
/* The room that transports make for a message of so many bytes. Status 2 above 2 GiB, which MPI
   and NCCL do not carry at once. Local. */
static inline int64_t transport_room(int64_t bytes)
{
  if (bytes > INT_MAX) die(STATUS_INPUT, "a halo message of more than 2 GiB; use more ranks");
  return bytes < INT_MAX / 2 ? bytes * 5 / 4 + 256 : INT_MAX;
}
/* Sets the sizes of the next messages, at most those that were reserved. Local. */
void transport_resize(struct transport *t, const int64_t send[PEERS_MOST],
                      const int64_t receive[PEERS_MOST]);
/* A message to each peer and from it. transport_begin returns the signal that the last packing
   kernel writes after what it packs, to.n 0: none; transport_send does the rest. transport_receive
   returns what the first unpacking kernel waits for, from.n 0: nothing. It waits itself if there is
   no channel. Collective. */
struct device_signal transport_begin(struct transport *t);
void transport_send(struct transport *t);
struct device_wait transport_receive(struct transport *t);
/* The same where no kernel of the backend writes or waits: transport_start sends what has been
   packed, and after transport_finish the receive buffers are filled for what is enqueued later. */
void transport_start(struct transport *t);
void transport_finish(struct transport *t);
/* A reduction on devices, with the calls of a message: after transport_flag_finish *flag_global is
   the maximum over ranks of *flag_local when the signal of transport_flag_begin was written. Work
   enqueued between them does not wait for other ranks. Only if there is a channel, with no other
   message between them, and not between a message and its receive. Collective. */
struct device_signal transport_flag_begin(struct transport *t);
void transport_flag_send(struct transport *t);
void transport_flag_start(struct transport *t); /* both, without a kernel of the backend */
void transport_flag_finish(struct transport *t);
/* Replaces n words by their sums over ranks, modulo 2^64. If there is a channel, the words are in
   device memory, and the sum is enqueued in its stream. Not between a message and its receive.
   Collective. */
void transport_sum(struct transport *t, int64_t *word, int n);
/* Ends the program with status 5 if a message is known to be lost. Lost messages are known once the
   host has waited for the device. Until then no result that depends on a message may be used on the
   host, or as an unchecked index on the device. Local. */
void transport_check(struct transport *t);
/* Exchanges bead counts with the peers, by MPI: of the next halo messages, or of migrants. Waits
   for them. Collective among peers. */
void transport_counts(struct transport *t, const struct halo_count send[PEERS_MOST],
                      struct halo_count receive[PEERS_MOST]);
/* For tests. Copy host data to the send buffer of peer k, as packing kernels store it, and from its
   receive buffer to the host. They wait for the device. Local. */
void transport_put(struct transport *t, int k, const void *data, int64_t bytes);
void transport_get(struct transport *t, int k, void *data, int64_t bytes);

#endif
