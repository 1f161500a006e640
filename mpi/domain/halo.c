#include "mpi/domain/halo.h"

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

void halo_build(struct transport *t, const struct slab *s, struct backend *b)
{
  struct halo_count send[PEERS] = {{0, 0}}, receive[PEERS] = {{0, 0}};
  struct {
    int64_t out[PEERS], in[PEERS];
  } build = {{0}, {0}}, step = {{0}, {0}}, most = {{0}, {0}};
  int64_t record = b->ops->halo_record(b);
  if (t->n_peers == 0) return;
  b->ops->halo_select(b, s->axis, s->bound, t->n_peers, t->peer, s->width, send);
  transport_counts(t, send, receive);
  for (int k = 0; k < t->n_peers; k++) {
    build.out[k] = send[k].beads * record;
    build.in[k] = receive[k].beads * record;
    step.out[k] = b->ops->halo_bytes(b, send[k]);
    step.in[k] = b->ops->halo_bytes(b, receive[k]);
    most.out[k] = larger(build.out[k], step.out[k]);
    most.in[k] = larger(build.in[k], step.in[k]);
  }
  transport_reserve(t, most.out, most.in);
  transport_resize(t, build.out, build.in);
  for (int k = 0; k < t->n_peers; k++)
    b->ops->halo_pack_build(b, k, t->send[k]);
  transport_start(t);
  transport_finish(t);
  for (int k = 0; k < t->n_peers; k++)
    b->ops->halo_unpack_build(b, k, t->receive[k], receive[k]);
  transport_resize(t, step.out, step.in);
  halo_start(t, b);
  halo_finish(t, b);
}

void halo_start(struct transport *t, struct backend *b)
{
  transport_check(t);
  for (int k = 0; k < t->n_peers; k++)
    b->ops->halo_pack(b, k, t->send[k]);
  transport_start(t);
}

void halo_finish(struct transport *t, struct backend *b)
{
  transport_finish(t);
  for (int k = 0; k < t->n_peers; k++)
    b->ops->halo_unpack(b, k, t->receive[k]);
}
