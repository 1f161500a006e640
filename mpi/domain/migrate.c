#include "mpi/domain/migrate.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mpi/transport/device_memory.h"

enum { PEER_MESSAGE_MOST = 1 << 30 }; /* bytes */

/* What a rank sends and receives: send[r] packed records, from record first[r] on, go to rank r,
   and receive[r] come from there. */
struct exchange {
  const char *packed;
  int record; /* bytes of one */
  int64_t *first, *send, *receive;
};

static void copy(const struct backend *b, void *to, const void *from, int64_t bytes)
{
  if (b->channel)
    device_copy(to, from, bytes, b->channel->stream);
  else if (bytes > 0)
    memcpy(to, from, (size_t)bytes);
}

/* Records for a peer go by the transport if they fit its halo buffer, which has the same size on
   both sides: then sets *count, which is what is left, to 0 and returns their bytes; else returns
   0. */
static int64_t peer_bytes_claim(int64_t *count, int record, int64_t room)
{
  int64_t bytes = *count * record;
  if (bytes > room || bytes > PEER_MESSAGE_MOST) return 0;
  *count = 0;
  return bytes;
}

/* Exchanges records with peers in the buffers of the halo. */
static void exchange_with_peers(const struct exchange *e, struct transport *t, struct backend *b)
{
  int64_t out[PEERS_MOST] = {0}, in[PEERS_MOST] = {0};
  for (int k = 0; k < t->n_peers; k++) {
    int peer = t->peer[k];
    out[k] = peer_bytes_claim(&e->send[peer], e->record, t->send_room[k]);
    in[k] = peer_bytes_claim(&e->receive[peer], e->record, t->receive_room[k]);
    copy(b, t->send[k], e->packed + e->first[peer] * e->record, out[k]);
  }
  transport_resize(t, out, in);
  transport_start(t);
  transport_finish(t);
  for (int k = 0; k < t->n_peers; k++)
    b->ops->unpack_migrants(b, t->receive[k], in[k] / e->record);
}

/* Unpacks records in host memory; copies them to the device first if there is one. */
static void unpack_from_host(struct backend *b, const void *record, int64_t n, int64_t bytes)
{
  if (!b->channel || n == 0) {
    b->ops->unpack_migrants(b, record, n);
    return;
  }
  void *here = device_grow(NULL, bytes);
  copy(b, here, record, bytes);
  device_wait(b->channel->stream);
  b->ops->unpack_migrants(b, here, n);
  device_free(here);
}

/* Exchanges the remaining records between any two ranks, through host memory. After the first build
   there are rarely any. */
static void exchange_through_hosts(const struct exchange *e, const struct ranks *r,
                                   struct backend *b)
{
  int64_t n_out = 0, n_in = 0;
  for (int k = 0; k < r->size; k++) {
    n_out += e->send[k];
    n_in += e->receive[k];
  }
  if (n_out == 0 && n_in == 0) return;
  char *out = alloc_array(n_out, (unsigned long)e->record), *to = out;
  for (int k = 0; k < r->size; k++) {
    copy(b, to, e->packed + e->first[k] * e->record, e->send[k] * e->record);
    to += e->send[k] * e->record;
  }
  if (b->channel) device_wait(b->channel->stream);
  void *in = ranks_deliver(r, (size_t)e->record, out, e->send, e->receive);
  unpack_from_host(b, in, n_in, n_in * e->record);
  free(in);
  free(out);
}

/* Sets e->receive. Peers exchange their counts in messages; a reduction at the same time finds
   whether any rank has records for a rank that is no peer, as at the first build. If so, all ranks
   exchange counts (MPI_Alltoall). */
static void exchange_counts(const struct exchange *e, const struct domain *d, struct transport *t)
{
  struct halo_count out[PEERS_MOST] = {{0, 0}}, in[PEERS_MOST] = {{0, 0}};
  double far[2] = {0, 0};
  for (int k = 0; k < t->ranks->size; k++)
    if (k != t->ranks->rank && !domain_has_peer(d, k)) far[0] += (double)e->send[k];
  ranks_largest_start(t->ranks, far);
  for (int k = 0; k < t->n_peers; k++)
    out[k].beads = e->send[t->peer[k]];
  transport_counts(t, out, in);
  ranks_largest_finish(t->ranks, far);
  if (far[0] > 0)
    ranks_counts(t->ranks, e->send, e->receive);
  else
    for (int k = 0; k < t->n_peers; k++)
      e->receive[t->peer[k]] = in[k].beads;
}

void migrate_beads(const struct domain *d, struct transport *t, struct backend *b)
{
  const struct ranks *r = t->ranks;
  if (r->size == 1) return;
  int64_t *number = alloc_array(3LL * r->size, sizeof *number);
  struct exchange e = {NULL, 0, number, number + r->size, number + 2 * r->size};
  e.packed = b->ops->pack_migrants(b, d, e.send, &e.record);
  for (int k = 1; k < r->size; k++)
    e.first[k] = e.first[k - 1] + e.send[k - 1];
  exchange_counts(&e, d, t);
  exchange_with_peers(&e, t, b);
  exchange_through_hosts(&e, r, b);
  free(number);
}
