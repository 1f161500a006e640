/* Messages of GPUs. Each rank has a link to each peer:

     ipc          the send buffer is memory of the peer's GPU (ipc_memory.h). Packing kernels store
                  directly into it; their last block, or the next kernel, writes the number of the
                  message into the line of this rank on the peer's board, and a kernel of the peer
                  waits for it
     staged       packing kernels store into pinned host memory, which a thread sends by MPI
                  (messenger.h); what it has received is copied to the device

   No host thread but the messenger waits between two calls of reserve. The transport `ipc` has
   links of that kind only, `staged` likewise, and `mixed` has for each peer the first that works:
   ipc within a node. MPI gets no device memory: its calls to CUDA may wait for the GPU, where a
   kernel waits for the message.

   With the transport `ipc` a rank has a line on the board of every rank, not only of its peers, and
   waits for the lines of all. With each message it sends either a flag, whose maximum over ranks is
   known to all before they continue, or words, which every rank sums. The words are integers, so
   that all ranks get the same sums. With the other transports the messenger reduces over all ranks.

   A rank has two ipc buffers for each peer, chosen by the parity of the message: message m
   overwrites m - 2. Two are enough. A rank packs m after its stream has seen the peer's line for m
   - 1, and the peer wrote that line after it had unpacked m - 2. This holds because each rank does
   it in one stream, except for waiting and unpacking at a build, for which the stream waits before
   the next message. So each message, even an empty one, is sent in both directions and writes the
   lines. Lines have two copies of everything for the same reason, and staged links two pinned
   buffers for what is received: the messenger receives message m when m - 1 is complete, while m -
   1 may still be copied. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/comm/heartbeat.h"
#include "mpi/comm/ranks_mpi.h"
#include "mpi/transport/device_memory.h"
#include "mpi/transport/device_signal.h"
#include "mpi/transport/ipc_memory.h"
#include "mpi/transport/messenger.h"

/* Time limits of the start-up test, and of later messages if no heartbeat limits the wait. */
enum { WAIT_SECONDS = 60, LONG_SECONDS = 3600 };
enum { TAG_NODE = 7 };
_Static_assert((int)DEVICE_WORDS >= (int)TRANSPORT_WORDS, "room for the words of a sum");

enum link_kind { LINK_IPC, LINK_STAGED, LINK_KINDS };
static const char *const kind_name[LINK_KINDS] = {"ipc", "staged"};

/* Pinned host memory. */
struct pinned {
  struct device_loss loss;
  struct device_line halo_out, halo_in, reduction_out, reduction_in;
};

struct links {
  enum link_kind kind[PEERS_MOST];
  struct ipc_memory ipc;
  struct messenger *messenger; /* NULL: every rank has the boards of all */
  struct pinned *pinned;
  void *received[PEERS_MOST][2]; /* staged links: pinned memory, by parity of the message */
  struct device_lines halo_posted, halo_received, reduction_posted, reduction_received;
  uint64_t message, reduction; /* numbers of the last ones started */
};

static int has_ranks_and_device(const struct ranks *r, int on_device, char *why, int size)
{
  const char *reason = r->size == 1 ? "it carries messages between ranks"
                       : !on_device ? "the beads are not in the memory of GPUs"
                                    : NULL;
  snprintf(why, (size_t)size, "%s", reason ? reason : "");
  return !reason;
}

static int has_threads(const struct ranks *r, char *why, int size)
{
  if (ranks_threads(r)) return 1;
  snprintf(why, (size_t)size, "this MPI does not allow calls of several threads");
  return 0;
}

static int ipc_usable(const struct ranks *r, int on_device, char *why, int size)
{
  int rank[DEVICE_LINES], good[DEVICE_LINES], all = 1;
  if (!has_ranks_and_device(r, on_device, why, size)) return 0;
  snprintf(why, (size_t)size,
           r->nodes > 1 ? "the ranks are on several nodes" : "there are more than 64 ranks");
  if (r->nodes > 1 || r->size > DEVICE_LINES) return 0;
  for (int k = 0; k < r->size; k++)
    rank[k] = k;
  ipc_test(r, r->size, rank, good, why, size);
  for (int k = 0; k < r->size; k++)
    all &= good[k];
  return all;
}

static int mixed_usable(const struct ranks *r, int on_device, char *why, int size)
{
  return has_ranks_and_device(r, on_device, why, size) && has_threads(r, why, size);
}

/* Which peers are on the node of this rank. */
static void find_node(const struct transport *t, int here[PEERS_MOST])
{
  MPI_Request request[2 * PEERS_MOST];
  int node[PEERS_MOST] = {0};
  for (int k = 0; k < t->n_peers; k++) {
    MPI_Irecv(&node[k], 1, MPI_INT, t->peer[k], TAG_NODE, ranks_comm(t->ranks), &request[2 * k]);
    MPI_Isend(&t->ranks->node, 1, MPI_INT, t->peer[k], TAG_NODE, ranks_comm(t->ranks),
              &request[2 * k + 1]);
  }
  MPI_Waitall(2 * t->n_peers, request, MPI_STATUSES_IGNORE);
  for (int k = 0; k < t->n_peers; k++)
    here[k] = node[k] == t->ranks->node;
}

/* ipc for peers of the node whose GPUs can map each other's memory; staged for others. */
static void choose_kinds(struct transport *t)
{
  struct links *p = t->private_data;
  char why[400] = "";
  int here[PEERS_MOST], rank[PEERS_MOST], good[PEERS_MOST], place[PEERS_MOST], n = 0;
  find_node(t, here);
  for (int k = 0; k < t->n_peers; k++) {
    p->kind[k] = LINK_STAGED;
    if (!here[k]) continue;
    place[n] = k;
    rank[n++] = t->peer[k];
  }
  ipc_test(t->ranks, n, rank, good, why, (int)sizeof why);
  for (int m = 0; m < n; m++)
    if (good[m])
      p->kind[place[m]] = LINK_IPC;
    else
      warn("the link of ranks %d and %d, which are on one node, goes by MPI: %s", t->ranks->rank,
           rank[m], why);
}

/* For the log: the peers of each rank and their kinds of links, or for many ranks how many links
 * there are of each kind. */
static void print_links(const struct transport *t)
{
  enum { TABLE_RANKS = 16, TEXT = 40 };
  const struct links *p = t->private_data;
  char text[TEXT * (PEERS_MOST + 1)];
  int64_t count[LINK_KINDS] = {0}, total;
  int at = snprintf(text, sizeof text, "rank %d:", t->ranks->rank);
  for (int k = 0; k < t->n_peers; k++) {
    count[p->kind[k]]++;
    at += snprintf(text + at, sizeof text - (size_t)at, "%s %d %s", k ? "," : "", t->peer[k],
                   kind_name[p->kind[k]]);
  }
  if (t->ranks->size <= TABLE_RANKS) {
    char *all = ranks_gather(t->ranks, text, (int64_t)sizeof text, &total);
    for (int k = 0; all && k < t->ranks->size; k++)
      info("links of %s", all + k * (int64_t)sizeof text);
    free(all);
    return;
  }
  ranks_sum_int64(t->ranks, count, LINK_KINDS);
  info("links: %lld %s, %lld %s", (long long)count[LINK_IPC] / 2, kind_name[LINK_IPC],
       (long long)count[LINK_STAGED] / 2, kind_name[LINK_STAGED]);
}

static void add_line(struct device_lines *lines, struct device_line *line)
{
  lines->line[lines->n++] = line;
}

/* The partners are the ranks whose boards are mapped. by_messenger: some messages go by MPI. */
static void open_links(struct transport *t, int n, const int *partner, int by_messenger)
{
  struct links *p = t->private_data;
  struct pinned *m = p->pinned = pinned_grow(NULL, sizeof *m);
  int staged = 0;
  memset(m, 0, sizeof *m);
  for (int k = 0; k < t->n_peers; k++)
    staged |= p->kind[k] == LINK_STAGED;
  heartbeat_device_waits(t->ranks, m->loss.waits, DEVICE_LINES);
  ipc_map(&p->ipc, t->ranks, n, partner);
  p->halo_posted = p->ipc.posted;
  p->halo_received = p->ipc.received;
  if (!by_messenger) return;
  if (staged) {
    add_line(&p->halo_posted, &m->halo_out);
    add_line(&p->halo_received, &m->halo_in);
  }
  add_line(&p->reduction_posted, &m->reduction_out);
  add_line(&p->reduction_received, &m->reduction_in);
  p->messenger = messenger_open(t->ranks, (struct message_lines){&m->halo_out, &m->halo_in},
                                (struct message_lines){&m->reduction_out, &m->reduction_in});
}

static void open_ipc(struct transport *t)
{
  int all[DEVICE_LINES];
  t->private_data = alloc_array(1, sizeof(struct links));
  for (int k = 0; k < t->ranks->size; k++)
    all[k] = k;
  open_links(t, t->ranks->size, all, 0); /* every kind is LINK_IPC */
}

static void open_staged(struct transport *t)
{
  struct links *p = t->private_data = alloc_array(1, sizeof *p);
  for (int k = 0; k < t->n_peers; k++)
    p->kind[k] = LINK_STAGED;
  open_links(t, 0, NULL, 1);
}

static void open_mixed(struct transport *t)
{
  struct links *p = t->private_data = alloc_array(1, sizeof *p);
  int partner[PEERS_MOST], n = 0;
  choose_kinds(t);
  for (int k = 0; k < t->n_peers; k++)
    if (p->kind[k] == LINK_IPC) partner[n++] = t->peer[k];
  open_links(t, n, partner, 1);
  print_links(t);
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
  if (t->send_bytes[k] > INT_MAX || t->receive_bytes[k] > INT_MAX)
    die(STATUS_INPUT, "a halo message of more than 2 GiB; use more ranks");
  if (t->send_bytes[k] > t->send_room[k]) {
    t->send_room[k] = t->send_bytes[k] / 4 * 5 + 256;
    t->send[k] = pinned_grow(t->send[k], t->send_room[k]);
  }
  if (t->receive_bytes[k] > t->receive_room[k]) {
    t->receive_room[k] = t->receive_bytes[k] / 4 * 5 + 256;
    t->receive[k] = device_grow(t->receive[k], t->receive_room[k]);
    for (int parity = 0; parity < 2; parity++)
      p->received[k][parity] = pinned_grow(p->received[k][parity], t->receive_room[k]);
  }
}

static void reserve(struct transport *t)
{
  struct links *p = t->private_data;
  int is_ipc[PEERS_MOST] = {0};
  if (p->messenger) device_wait(t->channel->stream);
  for (int k = 0; k < t->n_peers; k++) {
    is_ipc[k] = p->kind[k] == LINK_IPC;
    if (!is_ipc[k]) grow(t, k);
  }
  ipc_reserve(&p->ipc, t, is_ipc);
  swap_buffers(t);
}

/* Orders the messages of the links that are not ipc. */
static void order_exchange(struct transport *t)
{
  struct links *p = t->private_data;
  struct parcel parcel[PEERS_MOST];
  int n = 0;
  for (int k = 0; k < t->n_peers; k++)
    if (p->kind[k] != LINK_IPC)
      parcel[n++] = (struct parcel){t->peer[k], t->send[k], p->received[k][p->message % 2],
                                    t->send_bytes[k], t->receive_bytes[k]};
  if (n > 0) messenger_exchange(p->messenger, p->message, n, parcel);
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
  ++p->message;
  order_exchange(t);
  return (struct device_signal){p->halo_posted, p->message, what};
}

static void await_halo(struct transport *t, struct device_reduction what)
{
  struct links *p = t->private_data;
  const struct device_wait w = wait_of(t, &p->halo_received, p->message, what);
  device_await(&w, t->channel->stream);
  for (int k = 0; k < t->n_peers; k++)
    if (p->kind[k] == LINK_STAGED)
      device_copy(t->receive[k], p->received[k][p->message % 2], t->receive_bytes[k],
                  t->channel->stream);
  swap_buffers(t);
}

/* With the boards of all ranks every message carries the flag: the earlier it is known, the fewer
   kernels run in vain. */
static struct device_signal start_signal(struct transport *t)
{
  const struct links *p = t->private_data;
  return halo_begin(t, (struct device_post){.flag = p->messenger ? NULL : t->channel->flag_local});
}

static struct device_reduction halo_reduction(const struct transport *t)
{
  const struct links *p = t->private_data;
  return (struct device_reduction){.largest = p->messenger ? NULL : t->channel->flag_global};
}

static void start(struct transport *t)
{
  const struct device_signal s = start_signal(t);
  device_signal(&s, t->channel->stream);
}

static void finish(struct transport *t)
{
  await_halo(t, halo_reduction(t));
}

/* Not where what has been received is copied first, nor where lines are in host memory, which many
   blocks would read. */
static int finish_wait(struct transport *t, struct device_wait *w)
{
  const struct links *p = t->private_data;
  if (p->messenger) return 0;
  *w = wait_of(t, &p->halo_received, p->message, halo_reduction(t));
  swap_buffers(t);
  return 1;
}

/* Begins a reduction over all ranks, by the messenger or with a message. */
static struct device_signal reduction_begin(struct transport *t, struct device_post what)
{
  struct links *p = t->private_data;
  if (!p->messenger) return halo_begin(t, what);
  messenger_reduce(p->messenger, ++p->reduction, what.words);
  return (struct device_signal){p->reduction_posted, p->reduction, what};
}

static void reduction_finish(struct transport *t, struct device_reduction to)
{
  struct links *p = t->private_data;
  if (p->messenger) {
    const struct device_wait w = wait_of(t, &p->reduction_received, p->reduction, to);
    device_await(&w, t->channel->stream);
  } else {
    await_halo(t, to);
  }
}

static struct device_signal flag_signal(struct transport *t)
{
  return reduction_begin(t, (struct device_post){.flag = t->channel->flag_local});
}

static void flag_start(struct transport *t)
{
  const struct device_signal s = flag_signal(t);
  device_signal(&s, t->channel->stream);
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

static int lost(struct transport *t, char *why, int size)
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

static void close_links(struct transport *t)
{
  struct links *p = t->private_data;
  device_wait(t->channel->stream);
  if (p->messenger) messenger_close(p->messenger);
  for (int k = 0; k < t->n_peers; k++) {
    if (p->kind[k] != LINK_IPC) device_free(t->receive[k]);
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

#define LINKS(name, usable, open)                                                                  \
  {                                                                                                \
    name, usable, open, reserve, start, finish, close_links, lost, flag_start, flag_finish, sum,   \
        start_signal, finish_wait, flag_signal                                                     \
  }
const struct transport_ops transport_ipc = LINKS("ipc", ipc_usable, open_ipc),
                           transport_mixed = LINKS("mixed", mixed_usable, open_mixed),
                           transport_staged_device = LINKS("staged", mixed_usable, open_staged);
