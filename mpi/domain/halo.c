#include "mpi/domain/halo.h"

/* Bytes of the messages to and from each peer. */
struct message_sizes {
  int64_t out[PEERS_MOST], in[PEERS_MOST];
};

static struct message_sizes sizes_of(const struct transport *t, struct backend *b,
                                     enum halo_message message, const struct halo_count *send,
                                     const struct halo_count *receive)
{
  struct message_sizes s = {{0}, {0}};
  for (int k = 0; k < t->n_peers; k++) {
    s.out[k] = b->ops->halo_bytes(b, message, send[k]);
    s.in[k] = b->ops->halo_bytes(b, message, receive[k]);
  }
  return s;
}

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* Reserves buffers for messages of builds and of steps. */
static void reserve(struct transport *t, const struct message_sizes *a,
                    const struct message_sizes *b)
{
  struct message_sizes most = {{0}, {0}};
  for (int k = 0; k < t->n_peers; k++) {
    most.out[k] = larger(a->out[k], b->out[k]);
    most.in[k] = larger(a->in[k], b->in[k]);
  }
  transport_reserve(t, most.out, most.in);
}

/* Packs and sends a message to every peer. Devices do both in one kernel where they can. */
static void send(struct transport *t, struct backend *b, enum halo_message message)
{
  if (t->ops->start_signal && b->ops->async->halo_send) {
    const struct device_signal packed = t->ops->start_signal(t);
    b->ops->async->halo_send(b, message, t->send, &packed);
    t->ops->start_packed(t);
    return;
  }
  for (int k = 0; k < t->n_peers; k++)
    b->ops->halo_pack(b, message, k, t->send[k]);
  transport_start(t);
}

/* Receives and unpacks the message of every peer. Devices do both in one kernel where they can. */
static void receive(struct transport *t, struct backend *b, enum halo_message message,
                    const struct halo_count n[PEERS_MOST])
{
  struct device_wait sent;
  if (t->ops->finish_wait && b->ops->async->halo_receive && t->ops->finish_wait(t, &sent)) {
    b->ops->async->halo_receive(b, message, t->receive, n, &sent);
    return;
  }
  transport_finish(t);
  for (int k = 0; k < t->n_peers; k++)
    b->ops->halo_unpack(b, message, k, t->receive[k], n[k]);
}

void halo_build(struct transport *t, const struct domain *d, struct backend *b)
{
  struct halo_count out[PEERS_MOST] = {{0, 0}}, in[PEERS_MOST] = {{0, 0}};
  if (t->n_peers == 0) return;
  b->ops->halo_select(b, d, out);
  transport_counts(t, out, in);
  const struct message_sizes build = sizes_of(t, b, HALO_BUILD, out, in),
                             step = sizes_of(t, b, HALO_STEP, out, in);
  reserve(t, &build, &step);
  transport_resize(t, build.out, build.in);
  send(t, b, HALO_BUILD);
  receive(t, b, HALO_BUILD, in);
  transport_resize(t, step.out, step.in);
  halo_start(t, b);
  halo_finish(t, b);
}

void halo_start(struct transport *t, struct backend *b)
{
  transport_check(t);
  send(t, b, HALO_STEP);
}

void halo_finish(struct transport *t, struct backend *b)
{
  const struct halo_count as_built[PEERS_MOST] = {{0, 0}};
  receive(t, b, HALO_STEP, as_built);
}
