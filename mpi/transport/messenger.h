/* A thread of each rank that sends and receives the messages of a GPU by MPI, so that the main
   thread submits steps ahead and does not wait for messages. A message takes this way:

     stream of the GPU   packs, and writes the number of the message into the line `out`
     messenger           reads the number in `out`; sends and receives; writes the number into `in`
     stream of the GPU   a kernel waits for the number in `in`; unpacks

   Lines (backend/device_lines.h) and buffers belong to the caller. Lines are in host memory that
   the GPU can access. Halo messages and reductions have lines and numbers of their own. */
#ifndef MESSENGER_H
#define MESSENGER_H

#include <stdint.h>

#include "backend/device_lines.h"
#include "mpi/comm/ranks.h"

struct messenger;

/* The lines of the messages of halos, or of those of reductions, in host memory. All
   bytes are 0 at first. */
struct message_lines {
  struct device_line *out, *in;
};

/* The message of one rank to a peer and of the peer to it. Buffers are in host memory. */
struct parcel {
  int peer;
  const void *send;
  void *receive;
  int64_t send_bytes, receive_bytes; /* less than 2 GiB each */
};

/* Starts the thread. It has a communicator of its own. MPI allows calls of several threads
   (ranks_threads). Collective. */
struct messenger *messenger_open(const struct ranks *r, struct message_lines halo,
                                 struct message_lines reduction);
/* Waits for the messages that have been ordered, and ends the thread. Collective. */
void messenger_close(struct messenger *m);

/* Orders an exchange with n peers: message `number` of the halo, counted from 1 without gaps.
   Receives are posted as soon as the previous message has been completed; sends, once the line
   `out` has the number. The order of calls is the order of messages. Local; waits only if 64
   messages are ordered and not done. */
void messenger_exchange(struct messenger *m, uint64_t number, int n, const struct parcel *parcel);
/* Orders reduction `number`, counted from 1 without gaps, of what the line `out` has for that
   number. The line `in` then has the sums over ranks of its words, modulo 2^64 (words > 0), or the
   maximum of its flag (words 0). Waits as messenger_exchange. All ranks call it in the same order.
   */
void messenger_reduce(struct messenger *m, uint64_t number, int words);

#endif
