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

static void send(struct transport *t, struct backend *b, enum halo_message message)
{
  if (t->n_peers == 0) return;
  const struct device_signal packed = transport_begin(t);
  b->ops->halo_pack(b, message, t->n_peers, t->send, &packed);
  transport_send(t);
}

static void receive(struct transport *t, struct backend *b, enum halo_message message,
                    const struct halo_count n[PEERS_MOST])
{
  if (t->n_peers == 0) return;
  const struct device_wait sent = transport_receive(t);
  b->ops->halo_unpack(b, message, t->n_peers, t->receive, n, &sent);
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
