/* CUDA IPC: ranks of one node whose GPUs can access each other's memory, over NVLink or PCIe. A
   send buffer is memory of the peer. Packing kernels store directly into it; the next kernel writes
   the number of the message into a line in the peer's memory, and a kernel in the peer's stream
   waits for that number. No host waits between two calls of reserve.

   Every rank has a line in the memory of every rank, not only of its peers, and waits for the lines
   of all. With each message a rank sends either a flag, whose maximum over ranks is known to all
   before they continue, or words, which every rank sums. The words are integers, so that all ranks
   get the same sums.

   A rank has two buffers for each peer, chosen by the parity of the message: message m overwrites
   m - 2. Two are enough. A rank packs m after its stream has seen the peer's line for m - 1, and
   the peer wrote that line after it had unpacked m - 2. This holds because each rank does it in one
   stream, except for unpacking at a build, for which the stream waits before the next message. So
   each message, even an empty one, is sent in both directions and writes the lines. Lines have two
   copies of everything for the same reason. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/comm/heartbeat.h"
#include "mpi/comm/ranks_mpi.h"
#include "mpi/transport/device_memory.h"
#include "mpi/transport/device_sharing.h"
#include "mpi/transport/device_signal.h"
#include "mpi/transport/transport.h"

/* The two buffers for a peer are one allocation; both sides know the message sizes and so whether
   it must grow. The lines are another one. CUDA places small allocations in shared blocks of 2 MiB,
   and IPC maps whole blocks: so allocations are multiples of a block. */
enum { BLOCK = 2 << 20, SPARE = 1 << 18, ALIGN = 256 };
/* Time limits of the start-up test, and of later messages if no heartbeat limits the wait. */
enum { WAIT_SECONDS = 60, LONG_SECONDS = 3600 };
enum { TAG_CLOSED = 3, TAG_OFFER = 4 };

/* The device memory of a rank into which all ranks write their lines. */
struct board {
  struct device_line line[DEVICE_LINES]; /* by the rank that sets it */
  unsigned lost;
};
_Static_assert(sizeof(struct board) <= BLOCK, "lines in one block");
_Static_assert((int)DEVICE_WORDS >= (int)TRANSPORT_WORDS, "room for the words of a sum");

/* A rank's buffers for messages from a peer, as it sends them to the peer. */
struct offer {
  cudaIpcMemHandle_t handle;
  int64_t room; /* of each of the two buffers */
};

struct ipc {
  char *arena[PEERS_MOST];           /* memory of this rank into which peer k stores */
  char *mapped[PEERS_MOST];          /* memory of peer k; NULL: not mapped */
  struct board *board[DEVICE_LINES]; /* of every rank; those of others are mapped */
  struct device_lines own,
      posted;       /* lines on this rank's board; lines of this rank on all boards */
  uint64_t message; /* number of the last message started */
  struct device_loss *loss;
};

static void check(cudaError_t error, const char *what)
{
  if (error != cudaSuccess)
    die(STATUS_NUMERIC, "transport ipc: %s: %s; try parallel.transport: staged", what,
        cudaGetErrorString(error));
}

static int64_t up(int64_t bytes, int64_t unit)
{
  return (bytes + unit - 1) / unit * unit;
}

/* Test: maps memory of all ranks and unmaps it. *other: the rank whose memory could not be mapped.
   An error on one rank does not keep it from taking part. Collective. */
static cudaError_t try_mapping(const struct ranks *r, int *other)
{
  struct {
    cudaIpcMemHandle_t handle;
    int made;
  } mine, *all = alloc_array(r->size, sizeof *all);
  void *memory = NULL, *mapped;
  memset(&mine, 0, sizeof mine);
  cudaError_t error = cudaMalloc(&memory, BLOCK);
  if (error == cudaSuccess) error = cudaIpcGetMemHandle(&mine.handle, memory);
  mine.made = error == cudaSuccess;
  MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, ranks_comm(r));
  for (int k = 0; k < r->size; k++) {
    if (error != cudaSuccess || !all[k].made || k == r->rank) continue;
    *other = k;
    error = cudaIpcOpenMemHandle(&mapped, all[k].handle, cudaIpcMemLazyEnablePeerAccess);
    if (error == cudaSuccess) error = cudaIpcCloseMemHandle(mapped);
  }
  ranks_barrier(r);
  if (memory) (void)cudaFree(memory);
  (void)cudaGetLastError();
  free(all);
  return error;
}

static int usable(const struct ranks *r, int on_device, char *why, int size)
{
  const char *reason = r->size == 1               ? "it carries messages between ranks"
                       : !on_device               ? "the beads are not in the memory of GPUs"
                       : r->local_size != r->size ? "the ranks are on several nodes"
                       : r->size > DEVICE_LINES   ? "there are more than 64 ranks"
                                                  : NULL;
  if (reason) {
    snprintf(why, (size_t)size, "%s", reason);
    return 0;
  }
  int other = r->rank;
  struct device_uuid *gpu = devices_of_node(r);
  cudaError_t error = try_mapping(r, &other);
  if (error != cudaSuccess)
    snprintf(why, (size_t)size, "rank %d cannot map memory of the GPU of rank %d: %s; %s", r->rank,
             other, cudaGetErrorString(error),
             device_is_visible(&gpu[other])
                 ? "does nvidia-smi topo -p2p w say OK for the two GPUs?"
                 : "it does not see that GPU. Let every rank of a node see all of its GPUs (Slurm: "
                   "--gpus-per-node and --gpu-bind=none instead of --gpus-per-task)");
  free(gpu);
  return error == cudaSuccess;
}

/* Allocates this rank's board and maps those of all ranks. All boards are cleared before any rank
   can write to them. Collective. */
static void boards_map(struct transport *t)
{
  struct ipc *p = t->private_data;
  const struct ranks *r = t->ranks;
  cudaIpcMemHandle_t mine, all[DEVICE_LINES];
  struct board *own = device_grow(NULL, BLOCK);
  check(cudaMemset(own, 0, BLOCK), "clearing memory");
  device_wait(NULL);
  check(cudaIpcGetMemHandle(&mine, own), "naming memory for other ranks");
  MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, ranks_comm(r));
  p->own.n = p->posted.n = r->size;
  for (int k = 0; k < r->size; k++) {
    void *mapped = own;
    if (k != r->rank)
      check(cudaIpcOpenMemHandle(&mapped, all[k], cudaIpcMemLazyEnablePeerAccess),
            "mapping memory of another rank");
    p->board[k] = mapped;
    p->own.line[k] = &own->line[k];
    p->posted.line[k] = &p->board[k]->line[r->rank];
  }
}

static void open_ipc(struct transport *t)
{
  struct ipc *p = alloc_array(1, sizeof *p);
  t->private_data = p;
  p->loss = pinned_grow(NULL, sizeof *p->loss);
  memset(p->loss, 0, sizeof *p->loss);
  heartbeat_device_waits(t->ranks, p->loss->waits, DEVICE_LINES);
  boards_map(t);
}

static void unmap(struct ipc *p, int k)
{
  if (p->mapped[k]) check(cudaIpcCloseMemHandle(p->mapped[k]), "closing a neighbour's memory");
  p->mapped[k] = NULL;
}

static void map(struct transport *t, int k, const struct offer *o)
{
  struct ipc *p = t->private_data;
  void *base;
  check(cudaIpcOpenMemHandle(&base, o->handle, cudaIpcMemLazyEnablePeerAccess),
        "mapping a neighbour's memory");
  p->mapped[k] = base;
  t->send_room[k] = o->room;
}

/* Allocates larger buffers for a peer, which must have unmapped the old ones. Waits. */
static struct offer arena_renew(struct transport *t, int k)
{
  struct ipc *p = t->private_data;
  struct offer o;
  memset(&o, 0, sizeof o);
  o.room = t->receive_room[k] = up(t->receive_bytes[k] / 2 * 3 + SPARE, ALIGN);
  p->arena[k] = device_grow(p->arena[k], up(2 * o.room, BLOCK));
  check(cudaMemset(p->arena[k], 0, (size_t)(2 * o.room)), "clearing memory");
  device_wait(NULL);
  check(cudaIpcGetMemHandle(&o.handle, p->arena[k]), "naming memory for a neighbour");
  return o;
}

/* Replaces buffers that are too small: mine[k] those for messages from peer k, theirs[k] those for
   messages to it. The owner frees memory only after the peer has unmapped it. Waits. */
static void buffers_renew(struct transport *t, const int mine[PEERS_MOST],
                          const int theirs[PEERS_MOST])
{
  struct ipc *p = t->private_data;
  struct offer in[PEERS_MOST], out[PEERS_MOST];
  MPI_Request request[3 * PEERS_MOST];
  MPI_Comm comm = ranks_comm(t->ranks);
  int n = 0, size = (int)sizeof *in;
  device_wait(t->channel->stream);
  ranks_wait_begin(t->ranks);
  for (int k = 0; k < t->n_peers; k++) {
    if (!theirs[k]) continue;
    unmap(p, k);
    MPI_Isend(NULL, 0, MPI_BYTE, t->peer[k], TAG_CLOSED, comm, &request[n++]);
    MPI_Irecv(&in[k], size, MPI_BYTE, t->peer[k], TAG_OFFER, comm, &request[n++]);
  }
  for (int k = 0; k < t->n_peers; k++) {
    if (!mine[k]) continue;
    MPI_Recv(NULL, 0, MPI_BYTE, t->peer[k], TAG_CLOSED, comm, MPI_STATUS_IGNORE);
    out[k] = arena_renew(t, k);
    MPI_Isend(&out[k], size, MPI_BYTE, t->peer[k], TAG_OFFER, comm, &request[n++]);
  }
  MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
  ranks_wait_end(t->ranks);
  for (int k = 0; k < t->n_peers; k++)
    if (theirs[k]) map(t, k, &in[k]);
}

/* Sets the buffers of the next message to send and of the last one received, by parity. */
static void swap_buffers(struct transport *t)
{
  const struct ipc *p = t->private_data;
  int64_t next = (int64_t)((p->message + 1) % 2), last = (int64_t)(p->message % 2);
  for (int k = 0; k < t->n_peers; k++) {
    t->send[k] = p->mapped[k] + next * t->send_room[k];
    t->receive[k] = p->arena[k] + last * t->receive_room[k];
  }
}

static void reserve(struct transport *t)
{
  struct ipc *p = t->private_data;
  int mine[PEERS_MOST] = {0}, theirs[PEERS_MOST] = {0}, any = 0;
  for (int k = 0; k < t->n_peers; k++) {
    mine[k] = !p->arena[k] || t->receive_bytes[k] > t->receive_room[k];
    theirs[k] = !p->mapped[k] || t->send_bytes[k] > t->send_room[k];
    any |= mine[k] || theirs[k];
  }
  if (any) buffers_renew(t, mine, theirs);
  for (int k = 0; k < t->n_peers; k++)
    if (t->send_bytes[k] > t->send_room[k])
      die(STATUS_NUMERIC, "a halo message of %lld bytes for rank %d, which has room for %lld",
          (long long)t->send_bytes[k], t->peer[k], (long long)t->send_room[k]);
  swap_buffers(t);
}

static void post(struct transport *t, struct device_post what)
{
  struct ipc *p = t->private_data;
  device_signal(p->posted, ++p->message, what, t->channel->stream);
}

/* Time limit of a message, s. 0: none. */
static int wait_limit(const struct transport *t)
{
  if (!t->tested) return WAIT_SECONDS;
  return heartbeat_waits_endless(t->ranks) ? 0 : LONG_SECONDS;
}

static void await(struct transport *t, struct device_reduction what)
{
  struct ipc *p = t->private_data;
  device_await(p->own, p->message, what, wait_limit(t), &p->board[t->ranks->rank]->lost, p->loss,
               t->channel->stream);
  swap_buffers(t);
}

/* Every message carries the flag: the earlier it is known, the fewer kernels run in vain. */
static void start(struct transport *t)
{
  post(t, (struct device_post){.flag = t->channel->flag_local});
}

static void finish(struct transport *t)
{
  await(t, (struct device_reduction){.largest = t->channel->flag_global});
}

static void allreduce_max(struct transport *t)
{
  start(t);
  finish(t);
}

static void sum(struct transport *t, int64_t *word, int n)
{
  post(t, (struct device_post){.word = word, .words = n});
  await(t, (struct device_reduction){.sum = word, .words = n});
}

static int lost(struct transport *t, char *why, int size)
{
  const struct ipc *p = t->private_data;
  const volatile struct device_loss *loss = p->loss;
  if (!loss->line) return 0;
  snprintf(why, (size_t)size,
           "halo message %llu of rank %d did not come in %d s: that rank or its GPU hangs; look "
           "at what other ranks say, at its nvidia-smi and system log, and continue from the last "
           "checkpoint",
           (unsigned long long)loss->message, loss->line - 1,
           t->tested ? LONG_SECONDS : WAIT_SECONDS);
  return 1;
}

static void close_ipc(struct transport *t)
{
  struct ipc *p = t->private_data;
  device_wait(t->channel->stream);
  for (int k = 0; k < t->n_peers; k++)
    unmap(p, k);
  for (int k = 0; k < t->ranks->size; k++)
    if (k != t->ranks->rank)
      check(cudaIpcCloseMemHandle(p->board[k]), "closing memory of another rank");
  ranks_barrier(t->ranks);
  device_free(p->board[t->ranks->rank]);
  heartbeat_device_waits(t->ranks, NULL, 0);
  pinned_free(p->loss);
  for (int k = 0; k < t->n_peers; k++) {
    device_free(p->arena[k]);
    t->send[k] = t->receive[k] = NULL;
    t->send_room[k] = t->receive_room[k] = 0;
  }
  free(p);
}

const struct transport_ops transport_ipc = {"ipc",  usable,    open_ipc, reserve,       start,
                                            finish, close_ipc, lost,     allreduce_max, sum};
