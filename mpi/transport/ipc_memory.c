#include "mpi/transport/ipc_memory.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/transport/device_memory.h"

/* The two buffers for a peer are one allocation; both sides know the message sizes and so whether
   it must grow. The board is another one. CUDA places small allocations in shared blocks of 2 MiB,
   and IPC maps whole blocks: so allocations are multiples of a block. */
enum { BLOCK = 2 << 20, SPARE = 1 << 18, ALIGN = 256 };
_Static_assert(sizeof(struct board) <= BLOCK, "lines in one block");

/* What a rank tells a peer of the buffers into which the peer stores messages. */
struct offer {
  cudaIpcMemHandle_t handle;
  int64_t room; /* of each of the two buffers */
};

/* What a rank tells a partner of its board, and which of its lines is the partner's. */
struct board_offer {
  cudaIpcMemHandle_t handle;
  int line;
};

/* Memory of a rank in a test, with its GPU. */
struct test_offer {
  cudaIpcMemHandle_t handle;
  struct device_uuid gpu;
  int made, node;
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

/* Maps memory of another rank and unmaps it. */
static int can_map(const struct ranks *r, int rank, const struct test_offer *o, char *why, int size)
{
  void *mapped;
  if (!o->made) {
    snprintf(why, (size_t)size, "rank %d cannot name memory of its GPU for other ranks", rank);
    return 0;
  }
  cudaError_t error = cudaIpcOpenMemHandle(&mapped, o->handle, cudaIpcMemLazyEnablePeerAccess);
  if (error == cudaSuccess) error = cudaIpcCloseMemHandle(mapped);
  (void)cudaGetLastError();
  if (error == cudaSuccess) return 1;
  snprintf(why, (size_t)size, "rank %d cannot map memory of the GPU of rank %d: %s; %s", r->rank,
           rank, cudaGetErrorString(error),
           device_is_visible(&o->gpu)
               ? "does nvidia-smi topo -p2p w say OK for the two GPUs?"
               : "it does not see that GPU. Let every rank of a node see all of its GPUs (Slurm: "
                 "--gpus-per-node and --gpu-bind=none instead of --gpus-per-task)");
  return 0;
}

void ipc_test(const struct ranks *r, int n, const int *rank, int *reach, char *why, int size)
{
  struct test_offer mine, *out = alloc_array(n, sizeof *out), *in = alloc_array(n, sizeof *in);
  int *theirs = alloc_array(n, sizeof *theirs), failed = 0;
  void *memory = NULL;
  memset(&mine, 0, sizeof mine);
  mine.gpu = device_uuid();
  mine.node = r->node;
  cudaError_t error = cudaMalloc(&memory, BLOCK);
  if (error == cudaSuccess) error = cudaIpcGetMemHandle(&mine.handle, memory);
  mine.made = error == cudaSuccess;
  (void)cudaGetLastError();
  for (int k = 0; k < n; k++)
    out[k] = mine;
  ranks_swap(r, n, rank, out, in, (int)sizeof *out);
  for (int k = 0; k < n; k++) {
    const int maps = in[k].node == r->node &&
                     (rank[k] == r->rank || can_map(r, rank[k], &in[k], why, failed ? 0 : size));
    reach[k] = maps ? IPC_WORKS : in[k].node == r->node ? IPC_FAILS : IPC_FAR;
    failed |= reach[k] == IPC_FAILS;
  }
  ranks_swap(r, n, rank, reach, theirs, (int)sizeof *reach);
  for (int k = 0; k < n; k++) {
    if (theirs[k] != IPC_FAILS) continue;
    if (!failed)
      snprintf(why, (size_t)size, "rank %d cannot map memory of the GPU of rank %d", rank[k],
               r->rank);
    failed = 1;
    reach[k] = IPC_FAILS;
  }
  if (memory) (void)cudaFree(memory);
  free(out);
  free(in);
  free(theirs);
}

/* All boards are cleared before any partner can write to them. */
void ipc_map(struct ipc_memory *p, const struct ranks *r, int n, const int *partner)
{
  struct board_offer out[DEVICE_LINES], in[DEVICE_LINES];
  p->n = p->received.n = p->posted.n = n;
  p->own = device_grow(NULL, BLOCK);
  check(cudaMemset(p->own, 0, BLOCK), "clearing memory");
  device_wait(NULL);
  memset(out, 0, sizeof out);
  for (int k = 0; k < n; k++) {
    check(cudaIpcGetMemHandle(&out[k].handle, p->own), "naming memory for other ranks");
    out[k].line = k;
  }
  ranks_swap(r, n, partner, out, in, (int)sizeof *out);
  for (int k = 0; k < n; k++) {
    void *mapped = p->own;
    p->partner[k] = partner[k];
    if (partner[k] != r->rank)
      check(cudaIpcOpenMemHandle(&mapped, in[k].handle, cudaIpcMemLazyEnablePeerAccess),
            "mapping memory of another rank");
    p->board[k] = mapped;
    p->received.line[k] = &p->own->line[k];
    p->posted.line[k] = &p->board[k]->line[in[k].line];
  }
}

static void unmap(struct ipc_memory *p, int k)
{
  if (p->mapped[k]) check(cudaIpcCloseMemHandle(p->mapped[k]), "closing a neighbour's memory");
  p->mapped[k] = NULL;
}

static void map(struct ipc_memory *p, struct transport *t, int k, const struct offer *o)
{
  void *base;
  check(cudaIpcOpenMemHandle(&base, o->handle, cudaIpcMemLazyEnablePeerAccess),
        "mapping a neighbour's memory");
  p->mapped[k] = base;
  t->send_room[k] = o->room;
}

/* Allocates larger buffers for a peer, which must have unmapped the old ones. Waits. */
static struct offer arena_renew(struct ipc_memory *p, struct transport *t, int k)
{
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
static void buffers_renew(struct ipc_memory *p, struct transport *t, const int mine[PEERS_MOST],
                          const int theirs[PEERS_MOST])
{
  struct offer in[PEERS_MOST], out[PEERS_MOST];
  int peer[PEERS_MOST], of[PEERS_MOST], n = 0;
  memset(out, 0, sizeof out);
  device_wait(t->channel->stream);
  for (int k = 0; k < t->n_peers; k++) {
    if (!mine[k] && !theirs[k]) continue;
    of[n] = k;
    peer[n++] = t->peer[k];
    if (theirs[k]) unmap(p, k);
  }
  ranks_swap(t->ranks, n, peer, out, in, 1); /* after that both have unmapped */
  for (int m = 0; m < n; m++)
    if (mine[of[m]]) out[m] = arena_renew(p, t, of[m]);
  ranks_swap(t->ranks, n, peer, out, in, (int)sizeof *out);
  for (int m = 0; m < n; m++)
    if (theirs[of[m]]) map(p, t, of[m], &in[m]);
}

void ipc_reserve(struct ipc_memory *p, struct transport *t, const int uses[PEERS_MOST])
{
  int mine[PEERS_MOST] = {0}, theirs[PEERS_MOST] = {0}, any = 0;
  for (int k = 0; k < t->n_peers; k++) {
    mine[k] = uses[k] && (!p->arena[k] || t->receive_bytes[k] > t->receive_room[k]);
    theirs[k] = uses[k] && (!p->mapped[k] || t->send_bytes[k] > t->send_room[k]);
    any |= mine[k] || theirs[k];
  }
  if (any) buffers_renew(p, t, mine, theirs);
  for (int k = 0; k < t->n_peers; k++)
    if (uses[k] && t->send_bytes[k] > t->send_room[k])
      die(STATUS_NUMERIC, "a halo message of %lld bytes for rank %d, which has room for %lld",
          (long long)t->send_bytes[k], t->peer[k], (long long)t->send_room[k]);
}

void ipc_swap(const struct ipc_memory *p, struct transport *t, int k, uint64_t message)
{
  t->send[k] = p->mapped[k] + (int64_t)((message + 1) % 2) * t->send_room[k];
  t->receive[k] = p->arena[k] + (int64_t)(message % 2) * t->receive_room[k];
}

void ipc_close(struct ipc_memory *p, const struct ranks *r)
{
  for (int k = 0; k < PEERS_MOST; k++)
    unmap(p, k);
  for (int k = 0; k < p->n; k++)
    if (p->partner[k] != r->rank)
      check(cudaIpcCloseMemHandle(p->board[k]), "closing memory of another rank");
  ranks_barrier(r);
  for (int k = 0; k < PEERS_MOST; k++)
    device_free(p->arena[k]);
  device_free(p->own);
}
