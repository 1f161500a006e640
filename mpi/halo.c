#include "halo.h"

#include "device_memory.h"

void halo_build(struct transport *t, const struct slab *s, struct backend *b)
{
  int64_t send[PEERS] = {0}, receive[PEERS] = {0}, bytes_out[PEERS] = {0}, bytes_in[PEERS] = {0};
  int record = b->ops->halo_record(b);
  for (int k = 0; k < t->n_peers; k++)
    send[k] = b->ops->halo_select(b, k, s->axis, s->bound[t->peer[k]], s->bound[t->peer[k] + 1],
                                  s->width);
  transport_counts(t, send, receive);
  for (int k = 0; k < t->n_peers; k++) {
    bytes_out[k] = send[k] * record;
    bytes_in[k] = receive[k] * record;
  }
  transport_reserve(t, bytes_out, bytes_in);
  for (int k = 0; k < t->n_peers; k++)
    b->ops->halo_pack_build(b, k, t->send[k]);
  transport_start(t);
  transport_finish(t);
  if (t->on_device) device_wait(t->stream);
  transport_check(t); /* records that are not there must not be taken for beads */
  for (int k = 0; k < t->n_peers; k++)
    b->ops->halo_unpack_build(b, k, t->receive[k], receive[k]);
  for (int k = 0; k < t->n_peers; k++) {
    bytes_out[k] = b->ops->halo_bytes(b, k, 0);
    bytes_in[k] = b->ops->halo_bytes(b, k, 1);
  }
  transport_reserve(t, bytes_out, bytes_in);
  halo_start(t, b);
  halo_finish(t, b, 1);
}

void halo_start(struct transport *t, struct backend *b)
{
  transport_check(t);
  for (int k = 0; k < t->n_peers; k++)
    b->ops->halo_pack(b, k, t->send[k]);
  transport_start(t);
}

void halo_finish(struct transport *t, struct backend *b, int unpack)
{
  transport_finish(t);
  if (!unpack) return;
  for (int k = 0; k < t->n_peers; k++)
    b->ops->halo_unpack(b, k, t->receive[k]);
}
