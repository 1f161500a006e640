/* Sends and receives the halo messages of a rank and its peers, the ranks that struct domain lists.

   To add a transport: transport_<name>.c with a struct transport_ops, a line in the list of
   transport.c, the file in local.mk. Every transport passes the start-up self-test and
   test_mpi_transport. The buffers belong to the transport: they may be device memory, memory of a
   peer, or pinned host memory. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdint.h>

#include "backend/backend.h"
#include "backend/device_lines.h"
#include "mpi/comm/ranks.h"

struct transport;

struct transport_ops {
  const char *name;
  /* 1 if this rank can use the transport, else 0 with the reason in why[size]. Ranks, channel and
     peers of t are set. Collective: the ranks may exchange test messages. */
  int (*usable)(const struct transport *t, char *why, int size);
  void (*open)(struct transport *t);
  void (*print)(struct transport *t); /* the kinds of links, for the log. NULL: all are alike */
  /* Makes room for messages of t->send_bytes and t->receive_bytes. At list builds only. Collective
     among peers. */
  void (*reserve)(struct transport *t);
  /* start sends the packed send buffers. After finish the receive buffers are filled, and the send
     buffers may be packed again. With a channel both are enqueued in its stream. */
  void (*start)(struct transport *t);
  void (*finish)(struct transport *t);
  void (*close)(struct transport *t); /* collective */
  /* 1, with the reason in why[size], if a message is known to be lost. NULL: finish ends the
     program itself. Local. */
  int (*lost)(struct transport *t, char *why, int size);
  /* Enqueue a reduction in the channel's stream: after flag_finish *flag_global is the maximum of
     *flag_local over ranks, as it is at flag_start. start and finish may do the same. Set only if
     the main thread takes no part in messages: start and finish then do not wait. NULL: it takes
     part. */
  void (*flag_start)(struct transport *t);
  void (*flag_finish)(struct transport *t);
  /* Enqueues a sum over ranks of n words of device memory, in place. NULL if and only if flag_start
     is: the hosts compute sums. */
  void (*sum)(struct transport *t, int64_t *word, int n);
  /* Alternatives to start, finish and flag_start for backends whose own kernels write signals and
     wait for them, which saves a kernel each. start_signal returns the signal that the packing
     kernel must write after what it packs; then start_packed does the rest of start. flag_signal
     returns the signal to be written after the flag. finish_wait returns 1 and sets *w to what the
     unpacking kernel must wait for, after all earlier work of the channel's stream, before it reads
     the receive buffers; or it does nothing and returns 0, and finish must be called. A kernel that
     waits in another stream must end before the next message. NULL: transports that have no lines.
     */
  struct device_signal (*start_signal)(struct transport *t);
  void (*start_packed)(struct transport *t);
  int (*finish_wait)(struct transport *t, struct device_wait *w);
  struct device_signal (*flag_signal)(struct transport *t);
};

enum { TRANSPORT_WORDS = 64 }; /* most words of one call of ops->sum */

struct transport {
  /* Written by mpi/transport/transport.c. */
  const struct transport_ops *ops;
  const struct ranks *ranks;
  /* Borrowed. NULL: buffers are host memory. Else they are device memory, and start and finish are
     enqueued in its stream. */
  struct device_channel *channel;
  int tested; /* 1 after the start-up test */
  int n_peers, peer[PEERS_MOST];
  int64_t send_bytes[PEERS_MOST], receive_bytes[PEERS_MOST]; /* of the next messages, by peer */

  /* Written by mpi/transport/transport_staged.c, mpi/transport/transport_links.c and
     mpi/transport/ipc_memory.c: by the kind that is in use. By peer: sizes of the buffers in bytes;
     buffers of the next message to send and of the last message received. They may change in
     reserve, finish and finish_wait. */
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
/* Sets the sizes of the next messages, at most those that were reserved. Local. */
void transport_resize(struct transport *t, const int64_t send[PEERS_MOST],
                      const int64_t receive[PEERS_MOST]);
/* Sends the packed send buffers to the peers. Does not wait for them. Collective. */
void transport_start(struct transport *t);
/* Receives the messages of the peers into the receive buffers. Waits if the hosts take part in
   messages; else work enqueued later in the channel's stream finds them. Collective. */
void transport_finish(struct transport *t);
/* Enqueue a reduction in the channel's stream: after transport_flag_finish *flag_global is the
   maximum over ranks of what *flag_local is at transport_flag_start. Work enqueued between them
   does not wait for other ranks. Only if ops->flag_start is set, with no other message between
   them, and not between a start and its finish. Collective. */
void transport_flag_start(struct transport *t);
void transport_flag_finish(struct transport *t);
/* Replaces n words by their sums over ranks, modulo 2^64. If there is a channel, the words are in
   device memory, and the sum is enqueued in its stream or, without ops->sum, waited for. Not
   between a start and its finish. Collective. */
void transport_sum(struct transport *t, int64_t *word, int n);
/* Ends the program with status 5 if a message is known to be lost. Lost messages are known once the
   host has waited for the device. Until then no result that depends on a message may be used on the
   host, or as an unchecked index on the device. Local. */
void transport_check(struct transport *t);
/* Exchanges bead counts with the peers, by MPI: of the next halo messages, or of migrants. Waits
   for them. Collective among peers. */
void transport_counts(struct transport *t, const struct halo_count send[PEERS_MOST],
                      struct halo_count receive[PEERS_MOST]);
/* Byte `place` of a message of a start-up test between two ranks. Local. */
static inline unsigned char transport_test_byte(int from, int to, int64_t place)
{
  return (unsigned char)(from * 7 + to * 3 + (int)place);
}
/* For tests. Copy host data to the send buffer of peer k, as packing kernels store it, and from its
   receive buffer to the host. They wait for the device. Local. */
void transport_put(struct transport *t, int k, const void *data, int64_t bytes);
void transport_get(struct transport *t, int k, void *data, int64_t bytes);

#endif
