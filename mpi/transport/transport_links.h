/* The transports of GPUs whose ranks have a link of some kind to each peer (link_kinds.h), for the
   files that define their tables of functions. Functions do what struct transport_ops says. */
#ifndef TRANSPORT_LINKS_H
#define TRANSPORT_LINKS_H

#include "mpi/transport/link_kinds.h"
#include "mpi/transport/messenger.h"
#include "mpi/transport/transport.h"

/* Messages and reductions between GPUs that are enqueued in a stream, after what they send and
   before what needs them. Collective. */
struct link_group_ops {
  /* The buffers of the parcels are device memory. */
  void (*exchange)(void *group, int n, const struct parcel *parcel, void *stream);
  /* *largest becomes the maximum over ranks of *word. Device memory. */
  void (*largest)(void *group, const uint64_t *word, uint64_t *largest, void *stream);
  /* Replaces words of device memory by their sums over ranks. */
  void (*sum)(void *group, int64_t *word, int n, void *stream);
  /* 1, with the reason in why[size], if a message is known to be lost. Local. */
  int (*lost)(void *group, char *why, int size);
  /* Ends messages that still wait; only close may follow. Local. */
  void (*abort)(void *group);
  void (*close)(void *group);
};

int links_usable(const struct transport *t, char *why, int size);
/* Opens the links: of the kind `other` to all peers or, with within_nodes, to those that ipc does
   not reach. They belong to `group`, which close closes (NULL: no link is LINK_NCCL). */
void links_open(struct transport *t, enum link_kind other, int within_nodes,
                const struct link_group_ops *ops, void *group);
void links_print(struct transport *t);
void links_reserve(struct transport *t);
void links_start(struct transport *t);
void links_finish(struct transport *t);
void links_close(struct transport *t);
int links_lost(struct transport *t, char *why, int size);
void links_flag_start(struct transport *t);
void links_flag_finish(struct transport *t);
void links_sum(struct transport *t, int64_t *word, int n);
struct device_signal links_start_signal(struct transport *t);
void links_start_packed(struct transport *t);
int links_finish_wait(struct transport *t, struct device_wait *w);

/* What the tables of all of them have. */
#define LINKS_OPS                                                                                  \
  .reserve = links_reserve, .start = links_start, .finish = links_finish, .close = links_close,    \
  .lost = links_lost, .flag_start = links_flag_start, .flag_finish = links_flag_finish,            \
  .sum = links_sum, .start_signal = links_start_signal, .start_packed = links_start_packed,        \
  .finish_wait = links_finish_wait

#endif
