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
#include "mpi/transport/device_sharing.h"
#include "mpi/transport/transport_links.h"

/* The time limit of the test, and the size of its messages, which are as large as those of large
   halos. */
enum { TEST_SECONDS = 60, TEST_BYTES = 1 << 20 };

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

/* Every rank must call it, and all get the same result. Unless `blocking`, the communicator is made
   within the time limit. Collective. */
static int comm_make(const struct ranks *r, int blocking, ncclComm_t *comm, char *why, int size)
{
  ncclUniqueId id;
  *comm = NULL;
  (void)unsetenv("NCCL_COMM_BLOCKING"); /* it would override that of the configuration */
  if (!identifier(r, &id, why, size)) return 0;
  ncclConfig_t config = comm_config(blocking);
  ncclResult_t result = ncclCommInitRankConfig(comm, r->size, id, r->rank, &config);
  if (!blocking) result = settled(*comm, result, MPI_Wtime() + TEST_SECONDS);
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

/* The test of a communicator: messages to and from each peer, and a sum. */
struct test {
  const struct transport *t;
  ncclComm_t comm;
  cudaStream_t stream;
  unsigned char *out, *in; /* [n_peers][TEST_BYTES], device memory */
  int64_t *word;           /* device memory */
};

static void test_fill(const struct test *e)
{
  const int rank = e->t->ranks->rank;
  const int64_t word = 1 + rank;
  unsigned char *data = alloc_array(TEST_BYTES, 1);
  for (int k = 0; k < e->t->n_peers; k++) {
    for (int64_t m = 0; m < TEST_BYTES; m++)
      data[m] = transport_test_byte(rank, e->t->peer[k], m);
    device_copy(e->out + (int64_t)k * TEST_BYTES, data, TEST_BYTES, e->stream);
    device_wait(e->stream);
  }
  device_copy(e->word, &word, sizeof word, e->stream);
  device_wait(e->stream);
  free(data);
}

static ncclResult_t test_enqueue(const struct test *e, double until)
{
  const struct transport *t = e->t;
  ncclResult_t result = ncclGroupStart();
  for (int k = 0; k < t->n_peers && result == ncclSuccess; k++) {
    const int64_t at = (int64_t)k * TEST_BYTES;
    result = ncclSend(e->out + at, TEST_BYTES, ncclInt8, t->peer[k], e->comm, e->stream);
    if (result == ncclSuccess)
      result = ncclRecv(e->in + at, TEST_BYTES, ncclInt8, t->peer[k], e->comm, e->stream);
  }
  const ncclResult_t sent = settled(e->comm, ncclGroupEnd(), until);
  if (result != ncclSuccess) return result;
  if (sent != ncclSuccess) return sent;
  result = ncclGroupStart();
  if (result != ncclSuccess) return result;
  result = ncclAllReduce(e->word, e->word, 1, ncclInt64, ncclSum, e->comm, e->stream);
  const ncclResult_t summed = settled(e->comm, ncclGroupEnd(), until);
  return result != ncclSuccess ? result : summed;
}

/* 1 if this rank has got what the others sent. */
static int test_received(const struct test *e)
{
  const int64_t n = e->t->ranks->size;
  int64_t word;
  unsigned char *data = alloc_array(TEST_BYTES, 1);
  device_copy(&word, e->word, sizeof word, e->stream);
  device_wait(e->stream);
  int good = word == n * (n + 1) / 2;
  for (int k = 0; k < e->t->n_peers; k++) {
    device_copy(data, e->in + (int64_t)k * TEST_BYTES, TEST_BYTES, e->stream);
    device_wait(e->stream);
    for (int64_t m = 0; m < TEST_BYTES; m++)
      good &= data[m] == transport_test_byte(e->t->peer[k], e->t->ranks->rank, m);
  }
  free(data);
  return good;
}

/* 1 if the messages of the test came in time. Local; the others do the same. */
static int test_passes(const struct test *e, char *why, int size)
{
  const double until = MPI_Wtime() + TEST_SECONDS;
  const int rank = e->t->ranks->rank;
  test_fill(e);
  ncclResult_t result = test_enqueue(e, until);
  if (result == ncclSuccess) result = drained(e->comm, e->stream, until);
  if (result == ncclInProgress)
    snprintf(why, (size_t)size, "rank %d: a message of NCCL did not come in %d s", rank,
             TEST_SECONDS);
  else if (result != ncclSuccess)
    snprintf(why, (size_t)size, "rank %d: %s (NCCL_DEBUG=WARN in the environment says more)", rank,
             ncclGetErrorString(result));
  else
    snprintf(why, (size_t)size, "rank %d did not get by NCCL what was sent", rank);
  return result == ncclSuccess && test_received(e);
}

/* Whether NCCL carries messages here, by a communicator that does not block. Its abort ends kernels
   that still wait. Collective. */
static int works(const struct transport *t, char *why, int size)
{
  struct test e = {.t = t};
  if (!comm_make(t->ranks, 0, &e.comm, why, size)) return 0;
  e.out = device_grow(NULL, (int64_t)t->n_peers * TEST_BYTES);
  e.in = device_grow(NULL, (int64_t)t->n_peers * TEST_BYTES);
  e.word = device_grow(NULL, sizeof *e.word);
  if (cudaStreamCreateWithFlags(&e.stream, cudaStreamNonBlocking) != cudaSuccess)
    die(STATUS_NUMERIC, "transport nccl: CUDA gives no stream");
  const int good = ranks_agree(t->ranks, test_passes(&e, why, size), why, size);
  const double until = MPI_Wtime() + TEST_SECONDS;
  if (good && settled(e.comm, ncclCommFinalize(e.comm), until) == ncclSuccess)
    (void)ncclCommDestroy(e.comm);
  else
    (void)ncclCommAbort(e.comm);
  (void)cudaStreamDestroy(e.stream);
  device_free(e.out);
  device_free(e.in);
  device_free(e.word);
  (void)cudaGetLastError();
  return good;
}

static int usable(const struct transport *t, char *why, int size)
{
  const struct ranks *r = t->ranks;
  const char *reason = r->size == 1            ? "it carries messages between ranks"
                       : !t->channel           ? "the beads are not in the memory of GPUs"
                       : devices_shared(r) > 1 ? "ranks share a GPU"
                                               : NULL;
  snprintf(why, (size_t)size, "%s", reason ? reason : "");
  return ranks_agree(r, !reason, why, size) && works(t, why, size);
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
  if (result == ncclSuccess || result == ncclInProgress) return 0;
  snprintf(why, (size_t)size, "a halo message of rank %d was lost: %s", g->ranks->rank,
           ncclGetErrorString(result));
  return 1;
}

static void abort_group(void *group)
{
  struct nccl *g = group;
  (void)ncclCommAbort(g->comm);
  (void)cudaGetLastError();
  g->comm = NULL;
}

static void close_group(void *group)
{
  struct nccl *g = group;
  if (g->comm) (void)ncclCommDestroy(g->comm); /* all results have been written */
  heartbeat_device_unknown(g->ranks, 0);
  free(g);
}

static const struct link_group_ops group_ops = {exchange, largest,     sum,
                                                lost,     abort_group, close_group};

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

const struct transport_ops transport_nccl = {.name = "nccl",
                                             .usable = usable,
                                             .open = open_nccl,
                                             LINKS_OPS},
                           transport_ipc_nccl = {.name = "ipc+nccl",
                                                 .usable = usable,
                                                 .open = open_ipc_nccl,
                                                 .print = links_print,
                                                 LINKS_OPS};
