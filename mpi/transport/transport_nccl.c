/* NCCL: sends and receives of a step as one group, and the reduction of the flag, in the stream in
   which messages are packed, concurrent with forces; no host waits. For ranks with a GPU each, on
   one or several nodes. */
#include <cuda_runtime.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/comm/heartbeat.h"
#include "mpi/comm/ranks.h"
#include "mpi/transport/device_memory.h"
#include "mpi/transport/device_sharing.h"
#include "mpi/transport/transport_buffers.h"

struct nccl {
  ncclComm_t comm;
};

static void check_nccl(ncclResult_t result, const char *what)
{
  if (result != ncclSuccess)
    die(STATUS_NUMERIC, "transport nccl: %s: %s; try parallel.transport: staged", what,
        ncclGetErrorString(result));
}

/* One thread block for each operation: messages are short, and every block takes room for 640
   threads from the forces, also while it waits for a peer. NCCL_MAX_CTAS in the environment
   overrides it. */
static ncclConfig_t comm_config(void)
{
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.minCTAs = config.maxCTAs = 1;
  return config;
}

/* Every rank must call it, and all get the same result. Collective. */
static int comm_make(const struct ranks *r, ncclComm_t *comm, char *why, int size)
{
  ncclUniqueId id;
  memset(&id, 0, sizeof id);
  ncclResult_t result = r->rank == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
  snprintf(why, (size_t)size, "%s", ncclGetErrorString(result));
  if (!ranks_agree(r, result == ncclSuccess, why, size)) return 0;
  ranks_broadcast(r, &id, sizeof id);
  ncclConfig_t config = comm_config();
  result = ncclCommInitRankConfig(comm, r->size, id, r->rank, &config);
  snprintf(why, (size_t)size, "rank %d: %s (NCCL_DEBUG=WARN in the environment says more)", r->rank,
           ncclGetErrorString(result));
  if (ranks_agree(r, result == ncclSuccess, why, size)) return 1;
  if (result == ncclSuccess) (void)ncclCommAbort(*comm);
  (void)cudaGetLastError();
  return 0;
}

static int usable(const struct ranks *r, int on_device, char *why, int size)
{
  ncclComm_t comm;
  const char *reason = r->size == 1            ? "it carries messages between ranks"
                       : !on_device            ? "the beads are not in the memory of GPUs"
                       : devices_shared(r) > 1 ? "ranks share a GPU"
                                               : NULL;
  snprintf(why, (size_t)size, "%s", reason ? reason : "");
  if (!ranks_agree(r, !reason, why, size)) return 0;
  if (!comm_make(r, &comm, why, size)) return 0;
  (void)ncclCommDestroy(comm);
  return 1;
}

static void open_nccl(struct transport *t)
{
  struct nccl *p = alloc_array(1, sizeof *p);
  char why[256];
  t->private_data = p;
  heartbeat_device_unknown(t->ranks, 1);
  if (!comm_make(t->ranks, &p->comm, why, (int)sizeof why))
    die_all(STATUS_NUMERIC, "transport nccl: %s", why);
}

/* Both sides know the size of a message; an empty one is not sent. */
static void start(struct transport *t)
{
  struct nccl *p = t->private_data;
  cudaStream_t stream = (cudaStream_t)t->channel->stream;
  check_nccl(ncclGroupStart(), "a group");
  for (int k = 0; k < t->n_peers; k++) {
    if (t->send_bytes[k] > 0)
      check_nccl(
          ncclSend(t->send[k], (size_t)t->send_bytes[k], ncclInt8, t->peer[k], p->comm, stream),
          "sending");
    if (t->receive_bytes[k] > 0)
      check_nccl(ncclRecv(t->receive[k], (size_t)t->receive_bytes[k], ncclInt8, t->peer[k], p->comm,
                          stream),
                 "receiving");
  }
  check_nccl(ncclGroupEnd(), "a group");
}

/* Also of the flag: what comes next in the stream waits. */
static void finish(struct transport *t)
{
  (void)t;
}

static int lost(struct transport *t, char *why, int size)
{
  const struct nccl *p = t->private_data;
  ncclResult_t result = ncclSuccess;
  check_nccl(ncclCommGetAsyncError(p->comm, &result), "asking for errors");
  snprintf(why, (size_t)size, "a halo message of rank %d was lost: %s", t->ranks->rank,
           ncclGetErrorString(result));
  return result != ncclSuccess && result != ncclInProgress;
}

static void close_nccl(struct transport *t)
{
  struct nccl *p = t->private_data;
  device_wait(t->channel->stream);
  check_nccl(ncclCommDestroy(p->comm), "the end");
  heartbeat_device_unknown(t->ranks, 0);
  transport_buffers_free(t);
  free(p);
}

/* flag_local never decreases before it is reset on all ranks, so that the new maximum may overwrite
   flag_global. */
static void flag_start(struct transport *t)
{
  struct nccl *p = t->private_data;
  check_nccl(ncclAllReduce(t->channel->flag_local, t->channel->flag_global, 1, ncclUint64, ncclMax,
                           p->comm, (cudaStream_t)t->channel->stream),
             "the largest flag");
}

static void sum(struct transport *t, int64_t *word, int n)
{
  struct nccl *p = t->private_data;
  check_nccl(ncclAllReduce(word, word, (size_t)n, ncclInt64, ncclSum, p->comm,
                           (cudaStream_t)t->channel->stream),
             "sums");
}

const struct transport_ops transport_nccl = {.name = "nccl",
                                             .usable = usable,
                                             .open = open_nccl,
                                             .reserve = transport_buffers_grow,
                                             .start = start,
                                             .finish = finish,
                                             .close = close_nccl,
                                             .lost = lost,
                                             .flag_start = flag_start,
                                             .flag_finish = finish,
                                             .sum = sum};
