/* Messages of GPUs. Each rank has a link to each peer:

     ipc          the send buffer is memory of the peer's GPU (ipc_memory.h). Packing kernels store
                  directly into it; their last block, or the next kernel, writes the number of the
                  message into the line of this rank on the peer's board, and a kernel of the peer
                  waits for it
     nccl         NCCL sends what has been packed into memory of the GPU, next in the stream
     staged       packing kernels store into pinned host memory, which a thread sends by MPI
                  (messenger.h); what it has received is copied to the device

   No host thread but the messenger waits between two calls of reserve. The transports `ipc`, `nccl`
   and `staged` have links of that kind only; `ipc+nccl` and `ipc+staged` have ipc links within a
   node. MPI gets no device memory: its calls to CUDA may wait for the GPU, where a kernel waits for
   the message.

   With the transport `ipc` a rank has a line on the board of every rank, not only of its peers, and
   waits for the lines of all. With each message it sends either a flag, whose maximum over ranks is
   known to all before they continue, or words, which every rank sums. The words are integers, so
   that all ranks get the same sums. With the other transports NCCL or the messenger reduces over
   all ranks.

   A rank has two ipc buffers for each peer, chosen by the parity of the message: message m
   overwrites m - 2. Two are enough. A rank packs m after its stream has seen the peer's line for m
   - 1, and the peer wrote that line after it had unpacked m - 2. This holds because each rank does
   it in one stream, except for waiting and unpacking at a build, for which the stream waits before
   the next message. So each message, even an empty one, is sent in both directions and writes the
   lines. Lines have two copies of everything for the same reason, and staged links two pinned
   buffers for what is received: the messenger receives message m when m - 1 is complete, while m -
   1 may still be copied. */
#include "mpi/transport/transport_links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/comm/heartbeat.h"
#include "mpi/transport/device_memory.h"
#include "mpi/transport/ipc_memory.h"

/* Time limits of the start-up test, and of later messages if no heartbeat limits the wait. */
enum { WAIT_SECONDS = 60, LONG_SECONDS = 3600 };

static const char *const kind_name[LINK_KINDS] = {
    [LINK_IPC] = "ipc", [LINK_NCCL] = "nccl", [LINK_STAGED] = "staged"};

/* Pinned host memory. */
struct pinned {
  struct device_loss loss;
  struct device_line halo_out, halo_in, reduction_out, reduction_in;
};

struct links {
  enum link_kind kind[PEERS_MOST]; /* by peer */
  int within_nodes;                /* 1: ipc within a node, if it works; why: the first reason of */
  char why[400];                   /* this rank where it does not */
  int reach[PEERS_MOST];           /* enum ipc_reach of the peers */
  struct ipc_memory ipc;
  void *group;
  struct messenger *messenger; /* of staged links and of reductions; NULL: none */
  int all_boards;              /* 1: every rank has the boards of all, and reduces with messages */
  struct pinned *pinned;
  void *received[PEERS_MOST][2]; /* staged links: pinned memory, by parity of the message */
  struct device_lines halo_posted, halo_received, reduction_posted, reduction_received;
  uint64_t message, reduction; /* numbers of the last ones started */
};

int links_possible(const struct transport *t, char *why, int size)
{
  const char *reason = t->ranks->size == 1 ? "it carries messages between ranks"
                       : !t->channel       ? "the beads are not in the memory of GPUs"
                                           : NULL;
  snprintf(why, (size_t)size, "%s", reason ? reason : "");
  return !reason;
}

static int ipc_usable(const struct transport *t, char *why, int size)
{
  const struct ranks *r = t->ranks;
  int rank[DEVICE_LINES], reach[DEVICE_LINES], all = 1;
  if (!links_possible(t, why, size)) return 0;
  snprintf(why, (size_t)size,
           r->nodes > 1 ? "the ranks are on several nodes" : "there are more than 64 ranks");
  if (r->nodes > 1 || r->size > DEVICE_LINES) return 0;
  for (int k = 0; k < r->size; k++)
    rank[k] = k;
  ipc_test(r, r->size, rank, reach, why, size);
  for (int k = 0; k < r->size; k++)
    all &= reach[k] == IPC_WORKS;
  return all;
}

/* 1 if a messenger can be used. */
static int thread_usable(const struct transport *t, char *why, int size)
{
  if (!links_possible(t, why, size)) return 0;
  snprintf(why, (size_t)size, "this MPI does not allow calls of several threads");
  return ranks_threads(t->ranks);
}

static void add_line(struct device_lines *lines, struct device_line *line)
{
  lines->line[lines->n++] = line;
}

static void open_messenger(struct transport *t)
{
  struct links *p = t->private_data;
  struct pinned *m = p->pinned;
  struct parcel parcel[PEERS_MOST];
  if (links_parcels(t, LINK_STAGED, parcel) > 0) {
    add_line(&p->halo_posted, &m->halo_out);
    add_line(&p->halo_received, &m->halo_in);
  }
  add_line(&p->reduction_posted, &m->reduction_out);
  add_line(&p->reduction_received, &m->reduction_in);
  p->messenger = messenger_open(t->ranks, (struct message_lines){&m->halo_out, &m->halo_in},
                                (struct message_lines){&m->reduction_out, &m->reduction_in});
}

/* The partners are the ranks whose boards are mapped. */
static void map_boards(struct transport *t, int n, const int *partner)
{
  struct links *p = t->private_data;
  p->pinned = pinned_grow(NULL, sizeof *p->pinned);
  memset(p->pinned, 0, sizeof *p->pinned);
  heartbeat_device_waits(t->ranks, p->pinned->loss.waits, DEVICE_LINES);
  ipc_map(&p->ipc, t->ranks, n, partner);
  p->halo_posted = p->ipc.posted;
  p->halo_received = p->ipc.received;
}

static void open_ipc(struct transport *t)
{
  struct links *p = t->private_data = alloc_array(1, sizeof *p);
  int all[DEVICE_LINES];
  for (int k = 0; k < t->ranks->size; k++)
    all[k] = k;
  p->all_boards = 1; /* every kind is LINK_IPC */
  map_boards(t, t->ranks->size, all);
}

void links_open(struct transport *t, enum link_kind other, int within_nodes, void *group)
{
  struct links *p = t->private_data = alloc_array(1, sizeof *p);
  int partner[PEERS_MOST], n = 0;
  p->within_nodes = within_nodes;
  if (within_nodes) ipc_test(t->ranks, t->n_peers, t->peer, p->reach, p->why, (int)sizeof p->why);
  for (int k = 0; k < t->n_peers; k++) {
    p->kind[k] = within_nodes && p->reach[k] == IPC_WORKS ? LINK_IPC : other;
    if (p->kind[k] == LINK_IPC) partner[n++] = t->peer[k];
  }
  map_boards(t, n, partner);
  p->group = group;
  if (!group) open_messenger(t);
}

void *links_group(const struct transport *t)
{
  return ((const struct links *)t->private_data)->group;
}

static void open_staged(struct transport *t)
{
  links_open(t, LINK_STAGED, 0, NULL);
}

static void open_ipc_staged(struct transport *t)
{
  links_open(t, LINK_STAGED, 1, NULL);
}

/* Sets the buffers of the next message to send and of the last one received. */
static void swap_buffers(struct transport *t)
{
  const struct links *p = t->private_data;
  for (int k = 0; k < t->n_peers; k++)
    if (p->kind[k] == LINK_IPC) ipc_swap(&p->ipc, t, k, p->message);
}

static void grow(struct transport *t, int k)
{
  struct links *p = t->private_data;
  const int staged = p->kind[k] == LINK_STAGED;
  if (t->send_bytes[k] > t->send_room[k]) {
    t->send_room[k] = transport_room(t->send_bytes[k]);
    t->send[k] = (staged ? pinned_grow : device_grow)(t->send[k], t->send_room[k]);
  }
  if (t->receive_bytes[k] > t->receive_room[k]) {
    t->receive_room[k] = transport_room(t->receive_bytes[k]);
    t->receive[k] = device_grow(t->receive[k], t->receive_room[k]);
    for (int parity = 0; staged && parity < 2; parity++)
      p->received[k][parity] = pinned_grow(p->received[k][parity], t->receive_room[k]);
  }
}

/* How many links of each kind there are, where they may differ, and those within a node that are
   not ipc. */
void links_print(struct transport *t)
{
  const struct links *p = t->private_data;
  int64_t n[LINK_KINDS] = {0};
  if (!p->within_nodes) return;
  for (int k = 0; k < t->n_peers; k++) {
    n[p->kind[k]]++;
    if (p->reach[k] == IPC_FAILS)
      warn("the link of ranks %d and %d, which are on one node, is %s, not ipc: %s", t->ranks->rank,
           t->peer[k], kind_name[p->kind[k]], p->why);
  }
  ranks_sum_int64(t->ranks, n, LINK_KINDS);
  info("links: %lld ipc, %lld nccl, %lld staged", (long long)n[LINK_IPC] / 2,
       (long long)n[LINK_NCCL] / 2, (long long)n[LINK_STAGED] / 2);
}

void links_reserve(struct transport *t)
{
  struct links *p = t->private_data;
  int is_ipc[PEERS_MOST] = {0};
  if (!p->all_boards) device_wait(t->channel->stream);
  for (int k = 0; k < t->n_peers; k++) {
    is_ipc[k] = p->kind[k] == LINK_IPC;
    if (!is_ipc[k]) grow(t, k);
  }
  ipc_reserve(&p->ipc, t, is_ipc);
  swap_buffers(t);
}

int links_parcels(const struct transport *t, enum link_kind kind, struct parcel parcel[PEERS_MOST])
{
  const struct links *p = t->private_data;
  int n = 0;
  for (int k = 0; k < t->n_peers; k++)
    if (p->kind[k] == kind)
      parcel[n++] =
          (struct parcel){t->peer[k], t->send[k],
                          kind == LINK_STAGED ? p->received[k][p->message % 2] : t->receive[k],
                          t->send_bytes[k], t->receive_bytes[k]};
  return n;
}

/* Time limit of a message, nanoseconds. */
static uint64_t wait_limit(const struct transport *t)
{
  const uint64_t second = 1000000000;
  if (!t->tested) return WAIT_SECONDS * second;
  return heartbeat_waits_endless(t->ranks) ? UINT64_MAX : LONG_SECONDS * second;
}

static struct device_wait wait_of(struct transport *t, const struct device_lines *lines,
                                  uint64_t number, struct device_reduction what)
{
  struct links *p = t->private_data;
  return (struct device_wait){*lines,          number, what, wait_limit(t), &p->ipc.own->lost,
                              &p->pinned->loss};
}

/* Begins the next halo message: what is to be written once it is packed. */
static struct device_signal halo_begin(struct transport *t, struct device_post what)
{
  struct links *p = t->private_data;
  struct parcel parcel[PEERS_MOST];
  ++p->message;
  const int n = links_parcels(t, LINK_STAGED, parcel);
  if (n > 0) messenger_exchange(p->messenger, p->message, n, parcel);
  return (struct device_signal){p->halo_posted, p->message, what};
}

/* What waits for the message of every peer. With a messenger a kernel waits here, since many blocks
   would poll lines in host memory, and what has come is copied to the device. */
static struct device_wait halo_wait(struct transport *t, struct device_reduction what)
{
  struct links *p = t->private_data;
  struct device_wait w = wait_of(t, &p->halo_received, p->message, what);
  if (p->messenger && w.from.n > 0) device_await(&w, t->channel->stream);
  if (p->messenger) w.from.n = 0;
  for (int k = 0; k < t->n_peers; k++)
    if (p->kind[k] == LINK_STAGED)
      device_copy(t->receive[k], p->received[k][p->message % 2], t->receive_bytes[k],
                  t->channel->stream);
  swap_buffers(t);
  return w;
}

/* With the boards of all ranks every message carries the flag: the earlier it is known, the fewer
   kernels run in vain. */
struct device_signal links_begin(struct transport *t)
{
  const struct links *p = t->private_data;
  return halo_begin(t, (struct device_post){.flag = p->all_boards ? t->channel->flag_local : NULL});
}

struct device_wait links_receive(struct transport *t)
{
  const struct links *p = t->private_data;
  return halo_wait(
      t, (struct device_reduction){.largest = p->all_boards ? t->channel->flag_global : NULL});
}

/* Begins a reduction over all ranks, by the messenger or with a message. */
static struct device_signal reduction_begin(struct transport *t, struct device_post what)
{
  struct links *p = t->private_data;
  if (p->all_boards) return halo_begin(t, what);
  messenger_reduce(p->messenger, ++p->reduction, what.words);
  return (struct device_signal){p->reduction_posted, p->reduction, what};
}

static void reduction_finish(struct transport *t, struct device_reduction to)
{
  struct links *p = t->private_data;
  const struct device_wait w =
      p->messenger ? wait_of(t, &p->reduction_received, p->reduction, to) : halo_wait(t, to);
  device_await(&w, t->channel->stream);
}

/* flag_local never decreases before it is reset on all ranks, so that the new maximum may overwrite
   flag_global. */
static struct device_signal flag_begin(struct transport *t)
{
  return reduction_begin(t, (struct device_post){.flag = t->channel->flag_local});
}

static void flag_finish(struct transport *t)
{
  reduction_finish(t, (struct device_reduction){.largest = t->channel->flag_global});
}

static void sum(struct transport *t, int64_t *word, int n)
{
  const struct device_signal s = reduction_begin(t, (struct device_post){.word = word, .words = n});
  device_signal(&s, t->channel->stream);
  reduction_finish(t, (struct device_reduction){.sum = word, .words = n});
}

int links_lost(struct transport *t, char *why, int size)
{
  const struct links *p = t->private_data;
  const volatile struct device_loss *loss = &p->pinned->loss;
  char whose[40] = "another rank";
  if (!loss->line) return 0;
  if (!p->messenger) snprintf(whose, sizeof whose, "rank %d", p->ipc.partner[loss->line - 1]);
  snprintf(why, (size_t)size,
           "halo message %llu of %s did not come in %d s: that rank or its GPU hangs; look "
           "at what other ranks say, at its nvidia-smi and system log, and continue from the last "
           "checkpoint",
           (unsigned long long)loss->message, whose, t->tested ? LONG_SECONDS : WAIT_SECONDS);
  return 1;
}

void links_close(struct transport *t)
{
  struct links *p = t->private_data;
  device_wait(t->channel->stream);
  if (p->messenger) messenger_close(p->messenger);
  for (int k = 0; k < t->n_peers; k++) {
    if (p->kind[k] != LINK_IPC) device_free(t->receive[k]);
    if (p->kind[k] == LINK_NCCL) device_free(t->send[k]);
    if (p->kind[k] == LINK_STAGED) pinned_free(t->send[k]);
    for (int parity = 0; parity < 2; parity++)
      pinned_free(p->received[k][parity]);
    t->send[k] = t->receive[k] = NULL;
    t->send_room[k] = t->receive_room[k] = 0;
  }
  ipc_close(&p->ipc, t->ranks);
  heartbeat_device_waits(t->ranks, NULL, 0);
  pinned_free(p->pinned);
  free(p);
}

#define MESSENGER_OPS                                                                              \
  LINKS_OPS, .close = links_close, .lost = links_lost, .flag_begin = flag_begin,                   \
             .flag_finish = flag_finish, .sum = sum

const struct transport_ops transport_ipc = {.name = "ipc",
                                            .usable = ipc_usable,
                                            .open = open_ipc,
                                            MESSENGER_OPS},
                           transport_ipc_staged = {.name = "ipc+staged",
                                                   .usable = thread_usable,
                                                   .open = open_ipc_staged,
                                                   MESSENGER_OPS},
                           transport_staged = {.name = "staged",
                                               .usable = thread_usable,
                                               .open = open_staged,
                                               MESSENGER_OPS};
