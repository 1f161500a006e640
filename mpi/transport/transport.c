#include "mpi/transport/transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "config.h"
#include "mpi/comm/ranks_mpi.h"
#include "mpi/comm/wait.h"
#include "mpi/transport/device_memory.h"

extern const struct transport_ops transport_self, transport_host;
#ifdef HAVE_CUDA
extern const struct transport_ops transport_ipc, transport_ipc_staged, transport_staged;
#endif
#ifdef HAVE_NCCL
extern const struct transport_ops transport_ipc_nccl, transport_nccl;
#endif
const struct transport_ops *const transport_all[] = {
    &transport_self,
#ifdef HAVE_CUDA
    &transport_ipc,
#endif
#ifdef HAVE_NCCL
    &transport_ipc_nccl,
#endif
#ifdef HAVE_CUDA
    &transport_ipc_staged,
#endif
#ifdef HAVE_NCCL
    &transport_nccl,
#endif
    &transport_host,
#ifdef HAVE_CUDA
    &transport_staged, /* for GPUs what transport_host is for hosts, by the same name */
#endif
    NULL,
};

void transport_list(void)
{
  printf("transports");
  for (int k = 0; transport_all[k]; k++)
    if (k == 0 || strcmp(transport_all[k]->name, transport_all[k - 1]->name) != 0)
      printf(" %s", transport_all[k]->name);
  printf("\n");
}

void transport_put(struct transport *t, int k, const void *data, int64_t bytes)
{
  if (bytes == 0) return;
  if (!t->channel) {
    memcpy(t->send[k], data, (size_t)bytes);
    return;
  }
  void *pinned = pinned_grow(NULL, bytes);
  memcpy(pinned, data, (size_t)bytes);
  device_store(t->send[k], pinned, bytes, t->channel->stream);
  device_wait(t->channel->stream);
  pinned_free(pinned);
}

void transport_get(struct transport *t, int k, void *data, int64_t bytes)
{
  if (bytes == 0) return;
  if (!t->channel) {
    memcpy(data, t->receive[k], (size_t)bytes);
    return;
  }
  device_copy(data, t->receive[k], bytes, t->channel->stream);
  device_wait(t->channel->stream);
}

/* Largest messages of the self-test: of GPUs as large as those of large halos. */
enum { TEST_BYTES = 1 << 12, TEST_BYTES_DEVICE = 1 << 20 };

/* Byte m of a message of the self-test between two ranks. */
static unsigned char test_byte(int from, int to, int64_t m)
{
  return (unsigned char)(from * 7 + to * 3 + (int)m);
}

/* Sends messages of several sizes, in which each byte is a function of sender, receiver and offset,
   and checks what is received. */
static int self_test(struct transport *t, char *why, int room)
{
  const int64_t most = t->channel ? TEST_BYTES_DEVICE : TEST_BYTES;
  unsigned char *data = alloc_array(most, 1);
  int good = 1;
  for (int64_t bytes = 1; bytes <= most; bytes *= 16) {
    int64_t size[PEERS_MOST];
    for (int k = 0; k < PEERS_MOST; k++)
      size[k] = bytes;
    transport_reserve(t, size, size);
    for (int k = 0; k < t->n_peers; k++) {
      for (int64_t m = 0; m < bytes; m++)
        data[m] = test_byte(t->ranks->rank, t->peer[k], m);
      transport_put(t, k, data, bytes);
    }
    transport_start(t);
    transport_finish(t);
    for (int k = 0; k < t->n_peers; k++) {
      transport_get(t, k, data, bytes);
      for (int64_t m = 0; m < bytes; m++)
        good &= data[m] == test_byte(t->peer[k], t->ranks->rank, m);
    }
  }
  free(data);
  snprintf(why, (size_t)room, "rank %d did not get what was sent in the start-up test",
           t->ranks->rank);
  return !(t->ops->lost && t->ops->lost(t, why, room)) && good;
}

enum { WHY_MOST = 400 };

/* Opens and tests a transport. 1 if it works on all ranks; else it is closed, and rank 0 has the
   reason in why. */
static int open_tested(struct transport *t, const struct transport_ops *ops, char why[WHY_MOST])
{
  t->ops = ops;
  if (ops->open) ops->open(t);
  t->tested = ranks_agree(t->ranks, self_test(t, why, WHY_MOST), why, WHY_MOST);
  if (t->tested) return 1;
  transport_close(t);
  return 0;
}

/* The same, if all ranks can use it. */
static int try_one(struct transport *t, const struct transport_ops *ops, char why[WHY_MOST])
{
  return ranks_agree(t->ranks, ops->usable(t, why, WHY_MOST), why, WHY_MOST) &&
         open_tested(t, ops, why);
}

#ifdef HAVE_NCCL
/* The time that a step spends in messages, in nanoseconds: a halo message to each peer, and the
   flag. The largest of all ranks. Collective. */
static int64_t step_time(struct transport *t)
{
  enum { BYTES = 1 << 17, WARM = 10, ROUNDS = 100 };
  int64_t size[PEERS_MOST], time;
  double begin = 0;
  t->tested = 0; /* the time limits of the test */
  for (int k = 0; k < PEERS_MOST; k++)
    size[k] = BYTES;
  transport_reserve(t, size, size);
  for (int k = 0; k < WARM + ROUNDS; k++) {
    if (k == WARM) {
      device_wait(t->channel->stream);
      begin = MPI_Wtime();
    }
    transport_start(t);
    transport_finish(t);
    if (!t->channel->flag_local) continue;
    transport_flag_start(t);
    transport_flag_finish(t);
  }
  device_wait(t->channel->stream);
  time = (int64_t)(1e9 * (MPI_Wtime() - begin) / ROUNDS);
  transport_check(t);
  t->tested = 1;
  ranks_max_int64(t->ranks, &time, 1);
  return time;
}

/* Whether NCCL or MPI is faster between nodes depends on the network: measures both and leaves the
   faster open. Collective. */
static void keep_faster(struct transport *t, const struct transport_ops *other)
{
  const struct transport_ops *first = t->ops;
  const int64_t time = step_time(t);
  char why[WHY_MOST];
  transport_close(t);
  if (try_one(t, other, why)) {
    const int64_t others = step_time(t);
    info("messages of a step take %.1f us with transport %s, %.1f us with %s: %s is used",
         1e-3 * (double)time, first->name, 1e-3 * (double)others, other->name,
         others < time ? other->name : first->name);
    if (others < time) return;
    transport_close(t);
  } else {
    info("transport %s cannot be used: %s", other->name, why);
  }
  if (!open_tested(t, first, why))
    die_all(STATUS_RANK, "transport %s no longer works: %s", first->name, why);
}
#endif

static void check(void *transport)
{
  transport_check(transport);
}

void transport_open(struct transport *t, const struct ranks *r, const char *name,
                    const struct domain *d, struct device_channel *channel)
{
  char why[WHY_MOST] = "it is not built into this program; lamella --version names those that are";
  int automatic = !strcmp(name, "auto");
  memset(t, 0, sizeof *t);
  t->ranks = r;
  t->channel = channel;
  t->n_peers = d->n_peers;
  memcpy(t->peer, d->peer, sizeof t->peer);
  const int sharing = channel ? devices_shared(r) : 1;
  if (sharing > 1)
    warn("up to %d ranks share a GPU: they wait for each other; start a rank for each GPU",
         sharing);
  for (int k = 0; transport_all[k]; k++) {
    const struct transport_ops *ops = transport_all[k];
    if (!automatic && strcmp(name, ops->name)) continue;
    if (try_one(t, ops, why)) break;
    if (automatic && channel && ops != &transport_self)
      info("transport %s cannot be used: %s", ops->name, why);
  }
  if (!t->ops) die_all(STATUS_INPUT, "parallel.transport: %s cannot be used: %s", name, why);
#ifdef HAVE_NCCL
  if (automatic && t->ops == &transport_ipc_nccl) keep_faster(t, &transport_ipc_staged);
#endif
  if (t->ops->print) t->ops->print(t);
  if (!channel) return;
  channel->check = check;
  channel->context = t;
}

void transport_close(struct transport *t)
{
  if (t->ops && t->ops->close) t->ops->close(t);
  t->ops = NULL;
  t->tested = 0;
  if (t->channel && t->channel->context == t) t->channel->check = NULL;
}

void transport_resize(struct transport *t, const int64_t send[PEERS_MOST],
                      const int64_t receive[PEERS_MOST])
{
  for (int k = 0; k < t->n_peers; k++) {
    t->send_bytes[k] = send[k];
    t->receive_bytes[k] = receive[k];
  }
}

void transport_reserve(struct transport *t, const int64_t send[PEERS_MOST],
                       const int64_t receive[PEERS_MOST])
{
  transport_resize(t, send, receive);
  if (t->ops->reserve) t->ops->reserve(t);
}

struct device_signal transport_begin(struct transport *t)
{
  return t->ops->begin ? t->ops->begin(t) : (struct device_signal){0};
}

void transport_send(struct transport *t)
{
  if (t->ops->send) t->ops->send(t);
}

struct device_wait transport_receive(struct transport *t)
{
  return t->ops->receive ? t->ops->receive(t) : (struct device_wait){0};
}

void transport_start(struct transport *t)
{
  const struct device_signal packed = transport_begin(t);
  if (packed.to.n > 0) device_signal(&packed, t->channel->stream);
  transport_send(t);
}

void transport_finish(struct transport *t)
{
  const struct device_wait sent = transport_receive(t);
  if (sent.from.n > 0) device_await(&sent, t->channel->stream);
}

struct device_signal transport_flag_begin(struct transport *t)
{
  return t->ops->flag_begin ? t->ops->flag_begin(t) : (struct device_signal){0};
}

void transport_flag_send(struct transport *t)
{
  if (t->ops->flag_send) t->ops->flag_send(t);
}

void transport_flag_start(struct transport *t)
{
  const struct device_signal flag = transport_flag_begin(t);
  if (flag.to.n > 0) device_signal(&flag, t->channel->stream);
  transport_flag_send(t);
}

void transport_flag_finish(struct transport *t)
{
  if (t->ops->flag_finish) t->ops->flag_finish(t);
}

void transport_sum(struct transport *t, int64_t *word, int n)
{
  if (t->ranks->size == 1) return;
  for (int at = 0; at < n; at += DEVICE_WORDS) {
    int some = n - at < DEVICE_WORDS ? n - at : (int)DEVICE_WORDS;
    if (t->ops->sum)
      t->ops->sum(t, word + at, some);
    else
      ranks_sum_int64(t->ranks, word + at, some);
  }
}

void transport_check(struct transport *t)
{
  char why[WHY_MOST];
  if (t->ops->lost && t->ops->lost(t, why, (int)sizeof why)) die(STATUS_RANK, "%s", why);
}

void transport_counts(struct transport *t, const struct halo_count send[PEERS_MOST],
                      struct halo_count receive[PEERS_MOST])
{
  ranks_swap(t->ranks, t->n_peers, t->peer, send, receive, (int)sizeof *send);
}
