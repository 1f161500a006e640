#include "mpi/domain/slab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/transport/device_memory.h"

enum { BINS = 4096 };
enum { NEAR_MOST = 1 << 30 }; /* bytes */
static const uint64_t whole = UINT64_C(1) << 32;

void slab_create(struct slab *s, const struct ranks *r, int axis)
{
  s->axis = axis;
  s->width = 0;
  s->bound = alloc_array(r->size + 1, sizeof *s->bound);
  for (int k = 0; k <= r->size; k++)
    s->bound[k] = whole / (uint64_t)r->size * (uint64_t)k;
  s->bound[r->size] = whole;
}

void slab_destroy(struct slab *s)
{
  free(s->bound);
  s->bound = NULL;
}

/* More than the margins of the tests that let pairs into lists. */
static uint64_t width_of(double reach, double length)
{
  return (uint64_t)ceil(reach / length * 4294967296.0 * 1.00002) + 1;
}

int slab_most_ranks(double reach, double length)
{
  uint64_t n = whole / width_of(reach, length);
  return n < 1 ? 1 : n > 1000000 ? 1000000 : (int)n;
}

void slab_set_reach(struct slab *s, const struct ranks *r, double reach, double length)
{
  s->width = width_of(reach, length);
  int most = slab_most_ranks(reach, length);
  if (r->size > most && r->size > 1)
    die_all(STATUS_INPUT,
            "%d ranks are too many: the box edge of %.4g nm along %c holds at most %d slabs of one "
            "halo (%.4g nm); use at most %d ranks, or parallel.axis",
            r->size, length, "xyz"[s->axis], most, reach, most);
}

/* Forward, then backward, so that every slab has the width. */
static void spread(uint64_t *bound, int size, uint64_t width)
{
  for (int k = 1; k < size; k++)
    if (bound[k] < bound[k - 1] + width) bound[k] = bound[k - 1] + width;
  for (int k = size - 1; k > 0; k--)
    if (bound[k] + width > bound[k + 1]) bound[k] = bound[k + 1] - width;
}

void slab_widen(struct slab *s, const struct ranks *r)
{
  spread(s->bound, r->size, s->width);
}

void slab_balance(struct slab *s, const struct ranks *r, struct backend *b)
{
  if (r->size == 1) return;
  int64_t *count = alloc_array(BINS, sizeof *count), total = 0, below = 0;
  b->ops->histogram(b, s->axis, BINS, count);
  ranks_sum_int64(r, count, BINS);
  for (int k = 0; k < BINS; k++)
    total += count[k];
  int bin = 0;
  for (int k = 1; k < r->size; k++) {
    int64_t want = total / r->size * k;
    while (bin < BINS - 1 && below + count[bin] < want)
      below += count[bin++];
    double inside = count[bin] > 0 ? (double)(want - below) / (double)count[bin] : 0;
    s->bound[k] = (uint64_t)(((double)bin + inside) * ((double)whole / BINS));
  }
  spread(s->bound, r->size, s->width);
  free(count);
}

/* Records of beads on their way: send[k] of those that leave, from first[k] on, go to rank k. */
struct mail {
  const char *leaving;
  int record; /* bytes */
  int64_t *first, *send, *receive;
};

static void copy(const struct backend *b, void *to, const void *from, int64_t bytes)
{
  if (b->on_device)
    device_copy(to, from, bytes, b->stream);
  else if (bytes > 0)
    memcpy(to, from, (size_t)bytes);
}

/* Bytes of a message that fits into the room for the halo, whose records then count no more. Sender
   and receiver have the same room. */
static int64_t near_take(int64_t *count, int record, int64_t room)
{
  int64_t bytes = *count * record;
  if (bytes > room || bytes > NEAR_MOST) return 0;
  *count = 0;
  return bytes;
}

/* Between peers in the way of the halo. */
static void near_exchange(const struct mail *m, struct transport *t, struct backend *b)
{
  int64_t out[PEERS] = {0}, in[PEERS] = {0};
  for (int k = 0; k < t->n_peers; k++) {
    int peer = t->peer[k];
    out[k] = near_take(&m->send[peer], m->record, t->send_room[k]);
    in[k] = near_take(&m->receive[peer], m->record, t->receive_room[k]);
    copy(b, t->send[k], m->leaving + m->first[peer] * m->record, out[k]);
  }
  transport_resize(t, out, in);
  transport_start(t);
  transport_finish(t);
  for (int k = 0; k < t->n_peers; k++)
    b->ops->unpack_migrants(b, t->receive[k], in[k] / m->record);
}

static void arrive(struct backend *b, const void *record, int64_t n, int64_t bytes)
{
  if (!b->on_device || n == 0) {
    b->ops->unpack_migrants(b, record, n);
    return;
  }
  void *here = device_grow(NULL, bytes);
  copy(b, here, record, bytes);
  device_wait(b->stream);
  b->ops->unpack_migrants(b, here, n);
  device_free(here);
}

/* What is left, through hosts: seldom more than nothing, once beads are where they belong. */
static void far_exchange(const struct mail *m, const struct ranks *r, struct backend *b)
{
  int64_t leaving = 0, arriving = 0;
  for (int k = 0; k < r->size; k++) {
    leaving += m->send[k];
    arriving += m->receive[k];
  }
  if (leaving == 0 && arriving == 0) return;
  char *out = alloc_array(leaving, (unsigned long)m->record), *to = out;
  for (int k = 0; k < r->size; k++) {
    copy(b, to, m->leaving + m->first[k] * m->record, m->send[k] * m->record);
    to += m->send[k] * m->record;
  }
  if (b->on_device) device_wait(b->stream);
  void *in = ranks_deliver(r, (size_t)m->record, out, m->send, m->receive);
  arrive(b, in, arriving, arriving * m->record);
  free(in);
  free(out);
}

void slab_migrate(const struct slab *s, struct transport *t, struct backend *b)
{
  const struct ranks *r = t->ranks;
  if (r->size == 1) return;
  int64_t *number = alloc_array(3LL * r->size, sizeof *number);
  struct mail m = {NULL, 0, number, number + r->size, number + 2 * r->size};
  m.leaving = b->ops->pack_migrants(b, s->axis, r->size, s->bound, r->rank, m.send, &m.record);
  for (int k = 1; k < r->size; k++)
    m.first[k] = m.first[k - 1] + m.send[k - 1];
  ranks_counts(r, m.send, m.receive);
  near_exchange(&m, t, b);
  far_exchange(&m, r, b);
  free(number);
}
