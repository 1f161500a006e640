/* Links by NCCL (transport_links.c): the sends and receives of a step as one group, and reductions,
   in the stream in which messages are packed, concurrent with forces; no host waits. For ranks with
   a GPU each. With the transport `nccl` all links are of that kind, with `ipc+nccl` those between
   nodes.

   A communicator that blocks has no time limits: where a network passes no messages, it waits for
   ever. So first another one is tested that does not block, with messages to all peers and a time
   limit. It is not used for steps, since NCCL starts a thread for each of its calls. */
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
#include "mpi/transport/transport_links.h"

/* The time limit of the test, and the size of its messages, which are as large as those of large
   halos. What they carry is looked at in the test of all transports. */
enum { TEST_SECONDS = 60, TEST_BYTES = 1 << 20 };

static void check_nccl(ncclResult_t result, const char *what)
{
  if (result != ncclSuccess)
    die(STATUS_NUMERIC, "transport nccl: %s: %s; try parallel.transport: ipc+staged", what,
        ncclGetErrorString(result));
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
static ncclResult_t settled(ncclComm_t comm, ncclResult_t result, double until)
{
  while (result == ncclInProgress && MPI_Wtime() < until) {
    usleep(100);
    const ncclResult_t asked = ncclCommGetAsyncError(comm, &result);
    if (asked != ncclSuccess) result = asked;
  }
  return result;
}

/* The same for all that has been enqueued in a stream. */
static ncclResult_t drained(ncclComm_t comm, cudaStream_t stream, double until)
{
  ncclResult_t result = ncclSuccess;
  cudaError_t error = cudaStreamQuery(stream);
  while (error == cudaErrorNotReady && result == ncclSuccess) {
    if (MPI_Wtime() > until) return ncclInProgress;
    usleep(100);
    error = cudaStreamQuery(stream);
    const ncclResult_t asked = ncclCommGetAsyncError(comm, &result);
    if (asked != ncclSuccess) result = asked;
  }
  return result == ncclSuccess && error != cudaSuccess ? ncclUnhandledCudaError : result;
}

/* 1 if the result is ncclSuccess on all ranks. late: what has not been done in time. Collective. */
static int agree(const struct ranks *r, ncclResult_t result, const char *late, char *why, int size)
{
  if (result == ncclInProgress)
    snprintf(why, (size_t)size, "rank %d: %s in %d s", r->rank, late, TEST_SECONDS);
  else
    snprintf(why, (size_t)size, "rank %d: %s (NCCL_DEBUG=WARN in the environment says more)",
             r->rank, ncclGetErrorString(result));
  return ranks_agree(r, result == ncclSuccess, why, size);
}

/* Every rank must call it, and all get the same result. Unless `blocking`, the communicator is made
   within the time limit. Collective. */
static int comm_make(const struct ranks *r, int blocking, ncclComm_t *comm, char *why, int size)
{
  ncclUniqueId id;
  *comm = NULL;
  memset(&id, 0, sizeof id);
  (void)unsetenv("NCCL_COMM_BLOCKING"); /* it would override that of the configuration */
  ncclResult_t result = r->rank == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
  if (!agree(r, result, "NCCL gave no identifier", why, size)) return 0;
  ranks_broadcast(r, &id, sizeof id);
  ncclConfig_t config = comm_config(blocking);
  result = ncclCommInitRankConfig(comm, r->size, id, r->rank, &config);
  if (!blocking) result = settled(*comm, result, MPI_Wtime() + TEST_SECONDS);
  if (agree(r, result, "NCCL did not connect the ranks", why, size)) return 1;
  if (*comm) (void)ncclCommAbort(*comm);
  (void)cudaGetLastError();
  return 0;
}

/* Both sides know the size of a message; an empty one is not sent. */
static ncclResult_t exchange(ncclComm_t comm, int n, const struct parcel *parcel,
                             cudaStream_t stream)
{
  ncclResult_t result = ncclGroupStart();
  for (int k = 0; k < n; k++) {
    const struct parcel *p = &parcel[k];
    if (result == ncclSuccess && p->send_bytes > 0)
      result = ncclSend(p->send, (size_t)p->send_bytes, ncclInt8, p->peer, comm, stream);
    if (result == ncclSuccess && p->receive_bytes > 0)
      result = ncclRecv(p->receive, (size_t)p->receive_bytes, ncclInt8, p->peer, comm, stream);
  }
  const ncclResult_t ended = ncclGroupEnd();
  return result == ncclSuccess ? ended : result;
}

/* The test of a communicator: messages to and from each peer, and a sum. memory: [2 n_peers + 1]
   [TEST_BYTES], of the device. */
static ncclResult_t test(const struct transport *t, ncclComm_t comm, char *memory,
                         cudaStream_t stream)
{
  const double until = MPI_Wtime() + TEST_SECONDS;
  struct parcel parcel[PEERS_MOST];
  for (int k = 0; k < t->n_peers; k++, memory += 2 * TEST_BYTES)
    parcel[k] = (struct parcel){t->peer[k], memory, memory + TEST_BYTES, TEST_BYTES, TEST_BYTES};
  ncclResult_t result = settled(comm, exchange(comm, t->n_peers, parcel, stream), until);
  if (result == ncclSuccess)
    result =
        settled(comm, ncclAllReduce(memory, memory, 1, ncclInt64, ncclSum, comm, stream), until);
  return result == ncclSuccess ? drained(comm, stream, until) : result;
}

/* Whether NCCL carries messages here, by a communicator that does not block. Its abort ends kernels
   that still wait. Collective. */
static int works(const struct transport *t, char *why, int size)
{
  ncclComm_t comm;
  cudaStream_t stream;
  if (!comm_make(t->ranks, 0, &comm, why, size)) return 0;
  char *memory = device_grow(NULL, (2 * t->n_peers + 1LL) * TEST_BYTES);
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
    die(STATUS_NUMERIC, "transport nccl: CUDA gives no stream");
  const int good =
      agree(t->ranks, test(t, comm, memory, stream), "a message of NCCL did not come", why, size);
  const double until = MPI_Wtime() + TEST_SECONDS;
  if (good && settled(comm, ncclCommFinalize(comm), until) == ncclSuccess)
    (void)ncclCommDestroy(comm);
  else
    (void)ncclCommAbort(comm);
  (void)cudaStreamDestroy(stream);
  device_free(memory);
  (void)cudaGetLastError();
  return good;
}

static int usable(const struct transport *t, char *why, int size)
{
  if (!links_possible(t, why, size)) return 0;
  snprintf(why, (size_t)size, "ranks share a GPU");
  return devices_shared(t->ranks) == 1 && works(t, why, size);
}

static void open_links(struct transport *t, int within_nodes)
{
  ncclComm_t comm;
  char why[256];
  heartbeat_device_unknown(t->ranks, 1);
  if (!comm_make(t->ranks, 1, &comm, why, (int)sizeof why))
    die_all(STATUS_NUMERIC, "transport nccl: %s", why);
  links_open(t, LINK_NCCL, within_nodes, comm);
}

static void open_nccl(struct transport *t)
{
  open_links(t, 0);
}

static void open_ipc_nccl(struct transport *t)
{
  open_links(t, 1);
}

static void send(struct transport *t)
{
  struct parcel parcel[PEERS_MOST];
  const int n = links_parcels(t, LINK_NCCL, parcel);
  if (n > 0) check_nccl(exchange(links_group(t), n, parcel, t->channel->stream), "a message");
}

static void flag_send(struct transport *t)
{
  const struct device_channel *c = t->channel;
  check_nccl(ncclAllReduce(c->flag_local, c->flag_global, 1, ncclUint64, ncclMax, links_group(t),
                           c->stream),
             "the largest flag");
}

static void sum(struct transport *t, int64_t *word, int n)
{
  check_nccl(
      ncclAllReduce(word, word, (size_t)n, ncclInt64, ncclSum, links_group(t), t->channel->stream),
      "sums");
}

static int lost(struct transport *t, char *why, int size)
{
  ncclResult_t result = ncclSuccess;
  check_nccl(ncclCommGetAsyncError(links_group(t), &result), "asking for errors");
  if (result == ncclSuccess || result == ncclInProgress) return links_lost(t, why, size);
  snprintf(why, (size_t)size, "a halo message of rank %d was lost: %s", t->ranks->rank,
           ncclGetErrorString(result));
  return 1;
}

/* After a failed test messages may still wait. */
static void close_links(struct transport *t)
{
  const ncclComm_t comm = links_group(t);
  if (!t->tested) {
    (void)ncclCommAbort(comm);
    (void)cudaGetLastError();
  }
  links_close(t);
  if (t->tested) (void)ncclCommDestroy(comm); /* all results have been written */
  heartbeat_device_unknown(t->ranks, 0);
}

#define NCCL_OPS                                                                                   \
  LINKS_OPS, .usable = usable, .send = send, .flag_send = flag_send, .sum = sum, .lost = lost,     \
             .close = close_links

const struct transport_ops transport_nccl = {.name = "nccl", .open = open_nccl, NCCL_OPS},
                           transport_ipc_nccl = {
                               .name = "ipc+nccl", .open = open_ipc_nccl, NCCL_OPS};
