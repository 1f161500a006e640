/* Links by NCCL (transport_links.c): the sends and receives of a step as one group, and reductions,
   in the stream in which messages are packed, concurrent with forces; no host waits. For ranks with
   a GPU each. With the transport `nccl` all links are of that kind, with `ipc+nccl` those between
   nodes.

   A communicator that blocks has no time limits: where a network passes no messages, it waits for
   ever. So first another one is tested that does not block, and whose waits are limited. It is not
   used for steps, since NCCL starts a thread for each of its calls. */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "mpi/comm/heartbeat.h"
#include "mpi/transport/device_memory.h"
#include "mpi/transport/device_sharing.h"
#include "mpi/transport/transport_links.h"

enum { TEST_SECONDS = 60 }; /* the limit of each wait of the test */

struct nccl {
  const struct ranks *ranks;
  ncclComm_t comm;
};

static void check_nccl(ncclResult_t result, const char *what)
{
  if (result != ncclSuccess)
    die(STATUS_NUMERIC, "transport nccl: %s: %s; try parallel.transport: ipc+staged", what,
        ncclGetErrorString(result));
}

/* An identifier from rank 0. 1 if it got one. Collective. */
static int identifier(const struct ranks *r, ncclUniqueId *id, char *why, int size)
{
  memset(id, 0, sizeof *id);
  ncclResult_t result = r->rank == 0 ? ncclGetUniqueId(id) : ncclSuccess;
  snprintf(why, (size_t)size, "%s", ncclGetErrorString(result));
  if (!ranks_agree(r, result == ncclSuccess, why, size)) return 0;
  ranks_broadcast(r, id, sizeof *id);
  return 1;
}

/* One thread block for each operation: messages are short, and every block takes room for 640
   threads from the forces, also while it waits for a peer. NCCL_MAX_CTAS in the environment
   overrides it. */
static ncclConfig_t comm_config(int blocking)
{
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.minCTAs = config.maxCTAs = 1;
  config.blocking = blocking;
  return config;
}

/* Waits until a call has been carried out, and returns its result. ncclInProgress: the time is up.
 */
static ncclResult_t settled(ncclComm_t comm, ncclResult_t result)
{
  const double until = MPI_Wtime() + TEST_SECONDS;
  while (result == ncclInProgress && MPI_Wtime() < until) {
    usleep(100);
    ncclResult_t asked = ncclCommGetAsyncError(comm, &result);
    if (asked != ncclSuccess) result = asked;
  }
  return result;
}

/* cudaErrorNotReady: the time is up. */
static cudaError_t drained(cudaStream_t stream)
{
  const double until = MPI_Wtime() + TEST_SECONDS;
  cudaError_t error = cudaStreamQuery(stream);
  while (error == cudaErrorNotReady && MPI_Wtime() < until) {
    usleep(100);
    error = cudaStreamQuery(stream);
  }
  return error;
}

/* A word from this rank, one from the rank before, and the sum of those of all. Device memory. */
struct test_words {
  int64_t mine, got, sum;
};

static ncclResult_t enqueue(const struct ranks *r, ncclComm_t comm, struct test_words *w,
                            cudaStream_t stream)
{
  const int next = (r->rank + 1) % r->size, before = (r->rank + r->size - 1) % r->size;
  (void)ncclGroupStart();
  const ncclResult_t sent = ncclSend(&w->mine, 1, ncclInt64, next, comm, stream),
                     received = ncclRecv(&w->got, 1, ncclInt64, before, comm, stream),
                     result = settled(comm, ncclGroupEnd());
  if (sent != ncclSuccess && sent != ncclInProgress) return sent;
  if (received != ncclSuccess && received != ncclInProgress) return received;
  if (result != ncclSuccess) return result;
  return settled(comm, ncclAllReduce(&w->mine, &w->sum, 1, ncclInt64, ncclSum, comm, stream));
}

/* Sends the words. 1 if those of the others came. Local. */
static int words_come(const struct ranks *r, ncclComm_t comm, struct test_words *w,
                      cudaStream_t stream, char *why, int size)
{
  const int64_t before = (r->rank + r->size - 1) % r->size, n = r->size;
  struct test_words host = {.mine = 1 + r->rank};
  device_copy(w, &host, sizeof host, stream);
  device_wait(stream);
  const ncclResult_t result = enqueue(r, comm, w, stream);
  const cudaError_t error = result == ncclSuccess ? drained(stream) : cudaSuccess;
  if (result == ncclInProgress || error == cudaErrorNotReady) {
    snprintf(why, (size_t)size, "rank %d: a message of NCCL did not come in %d s", r->rank,
             TEST_SECONDS);
    return 0;
  }
  snprintf(why, (size_t)size, "rank %d: %s", r->rank,
           error ? cudaGetErrorString(error) : ncclGetErrorString(result));
  if (result != ncclSuccess || error != cudaSuccess) return 0;
  device_copy(&host, w, sizeof host, stream);
  device_wait(stream);
  snprintf(why, (size_t)size, "rank %d did not get by NCCL what was sent", r->rank);
  return host.got == 1 + before && host.sum == n * (n + 1) / 2;
}

/* Every rank must call it, and all get the same result. The communicator is made without blocking,
   unless `blocking`. Collective. */
static int comm_make(const struct ranks *r, int blocking, ncclComm_t *comm, char *why, int size)
{
  ncclUniqueId id;
  *comm = NULL;
  if (!identifier(r, &id, why, size)) return 0;
  ncclConfig_t config = comm_config(blocking);
  ncclResult_t result = ncclCommInitRankConfig(comm, r->size, id, r->rank, &config);
  if (result == ncclInProgress) result = settled(*comm, result);
  if (result == ncclInProgress)
    snprintf(why, (size_t)size, "rank %d: NCCL did not connect the ranks in %d s", r->rank,
             TEST_SECONDS);
  else
    snprintf(why, (size_t)size, "rank %d: %s (NCCL_DEBUG=WARN in the environment says more)",
             r->rank, ncclGetErrorString(result));
  if (ranks_agree(r, result == ncclSuccess, why, size)) return 1;
  if (*comm) (void)ncclCommAbort(*comm);
  (void)cudaGetLastError();
  return 0;
}

/* Whether NCCL carries messages here, by a communicator whose waits have a limit. The abort ends
   kernels that still wait. Collective. */
static int works(const struct ranks *r, char *why, int size)
{
  ncclComm_t comm;
  cudaStream_t stream;
  if (!comm_make(r, 0, &comm, why, size)) return 0;
  struct test_words *w = device_grow(NULL, sizeof *w);
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
    die(STATUS_NUMERIC, "transport nccl: CUDA gives no stream");
  const int good = ranks_agree(r, words_come(r, comm, w, stream, why, size), why, size);
  if (good && settled(comm, ncclCommFinalize(comm)) == ncclSuccess)
    (void)ncclCommDestroy(comm);
  else
    (void)ncclCommAbort(comm);
  (void)cudaStreamDestroy(stream);
  device_free(w);
  (void)cudaGetLastError();
  return good;
}

static int usable(const struct ranks *r, int on_device, char *why, int size)
{
  const char *reason = r->size == 1            ? "it carries messages between ranks"
                       : !on_device            ? "the beads are not in the memory of GPUs"
                       : devices_shared(r) > 1 ? "ranks share a GPU"
                                               : NULL;
  snprintf(why, (size_t)size, "%s", reason ? reason : "");
  return ranks_agree(r, !reason, why, size) && works(r, why, size);
}

/* Both sides know the size of a message; an empty one is not sent. */
static void exchange(void *group, int n, const struct parcel *parcel, void *stream)
{
  const struct nccl *g = group;
  check_nccl(ncclGroupStart(), "a group");
  for (int k = 0; k < n; k++) {
    const struct parcel *p = &parcel[k];
    if (p->send_bytes > 0)
      check_nccl(ncclSend(p->send, (size_t)p->send_bytes, ncclInt8, p->peer, g->comm,
                          (cudaStream_t)stream),
                 "sending");
    if (p->receive_bytes > 0)
      check_nccl(ncclRecv(p->receive, (size_t)p->receive_bytes, ncclInt8, p->peer, g->comm,
                          (cudaStream_t)stream),
                 "receiving");
  }
  check_nccl(ncclGroupEnd(), "a group");
}

static void largest(void *group, const uint64_t *word, uint64_t *to, void *stream)
{
  const struct nccl *g = group;
  check_nccl(ncclAllReduce(word, to, 1, ncclUint64, ncclMax, g->comm, (cudaStream_t)stream),
             "the largest flag");
}

static void sum(void *group, int64_t *word, int n, void *stream)
{
  const struct nccl *g = group;
  check_nccl(
      ncclAllReduce(word, word, (size_t)n, ncclInt64, ncclSum, g->comm, (cudaStream_t)stream),
      "sums");
}

static int lost(void *group, char *why, int size)
{
  const struct nccl *g = group;
  ncclResult_t result = ncclSuccess;
  check_nccl(ncclCommGetAsyncError(g->comm, &result), "asking for errors");
  snprintf(why, (size_t)size, "a halo message of rank %d was lost: %s", g->ranks->rank,
           ncclGetErrorString(result));
  return result != ncclSuccess && result != ncclInProgress;
}

static void close_group(void *group)
{
  struct nccl *g = group;
  check_nccl(ncclCommDestroy(g->comm), "the end");
  heartbeat_device_unknown(g->ranks, 0);
  free(g);
}

static const struct link_group_ops group_ops = {exchange, largest, sum, lost, close_group};

static void open_group(struct transport *t, int within_nodes)
{
  struct nccl *g = alloc_array(1, sizeof *g);
  char why[256];
  g->ranks = t->ranks;
  heartbeat_device_unknown(t->ranks, 1);
  if (!comm_make(t->ranks, 1, &g->comm, why, (int)sizeof why))
    die_all(STATUS_NUMERIC, "transport nccl: %s", why);
  links_open(t, LINK_NCCL, within_nodes, &group_ops, g);
}

static void open_nccl(struct transport *t)
{
  open_group(t, 0);
}

static void open_ipc_nccl(struct transport *t)
{
  open_group(t, 1);
}

const struct transport_ops
    transport_nccl = {.name = "nccl", .usable = usable, .open = open_nccl, LINKS_OPS},
    transport_ipc_nccl = {.name = "ipc+nccl", .usable = usable, .open = open_ipc_nccl, LINKS_OPS};
