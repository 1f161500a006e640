/* CUDA-aware MPI: device memory is passed to MPI. Used if MPI reports the support and a test
   succeeds. The host waits for the device and for the messages. */
#include <cuda_runtime.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/comm/ranks_mpi.h"
#include "mpi/comm/wait.h"
#include "mpi/transport/device_memory.h"
#include "mpi/transport/transport_buffers.h"

#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

struct aware {
  MPI_Request request[2 * PEERS_MOST];
};

static int claimed(void)
{
#if defined(OMPI_HAVE_MPI_EXT_CUDA) && OMPI_HAVE_MPI_EXT_CUDA
  return MPIX_Query_cuda_support() == 1;
#else
  return 0;
#endif
}

enum { PROBE_BYTES = 1 << 16 };

static unsigned char probe_byte(int rank, int place)
{
  return (unsigned char)(rank * 5 + place + (place >> 8));
}

/* The test: sends device memory to the next rank. A failure of MPI does not end the program. */
static int round_trip(const struct ranks *r)
{
  MPI_Comm comm;
  int to = (r->rank + 1) % r->size, from = (r->rank + r->size - 1) % r->size;
  unsigned char *host = alloc_array(PROBE_BYTES, 1);
  char *device = device_grow(NULL, 2 * PROBE_BYTES);
  for (int m = 0; m < PROBE_BYTES; m++)
    host[m] = probe_byte(r->rank, m);
  device_copy(device, host, PROBE_BYTES, NULL);
  device_wait(NULL);
  MPI_Comm_dup(ranks_comm(r), &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int good = MPI_Sendrecv(device, PROBE_BYTES, MPI_BYTE, to, 0, device + PROBE_BYTES, PROBE_BYTES,
                          MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  MPI_Comm_free(&comm);
  memset(host, 0, PROBE_BYTES);
  device_copy(host, device + PROBE_BYTES, PROBE_BYTES, NULL);
  device_wait(NULL);
  for (int m = 0; m < PROBE_BYTES; m++)
    good &= host[m] == probe_byte(from, m);
  device_free(device);
  free(host);
  return good;
}

static int usable(const struct ranks *r, int on_device, char *why, int size)
{
  const char *reason = r->size == 1 ? "it carries messages between ranks"
                       : !on_device ? "the beads are not in the memory of GPUs"
                                    : NULL;
  if (!reason) {
    snprintf(why, (size_t)size, "this MPI says that it cannot take device memory");
    if (!ranks_agree(r, claimed(), why, size)) return 0;
    if (round_trip(r)) return 1;
    reason = "this MPI says that it takes device memory, but what was sent did not arrive";
  }
  snprintf(why, (size_t)size, "%s", reason);
  return 0;
}

static void open_aware(struct transport *t)
{
  t->private_data = alloc_array(1, sizeof(struct aware));
}

static void reserve(struct transport *t)
{
  for (int k = 0; k < t->n_peers; k++)
    if (t->send_bytes[k] > INT_MAX || t->receive_bytes[k] > INT_MAX)
      die(STATUS_INPUT, "a halo message of more than 2 GiB; use more ranks");
  transport_buffers_grow(t);
}

/* Waits for the stream first, since MPI does not work in streams: the message must be packed, and
   the one before unpacked. */
static void start(struct transport *t)
{
  struct aware *a = t->private_data;
  MPI_Comm comm = ranks_comm(t->ranks);
  device_wait(t->channel->stream);
  for (int k = 0; k < t->n_peers; k++)
    MPI_Irecv(t->receive[k], (int)t->receive_bytes[k], MPI_BYTE, t->peer[k], 2, comm,
              &a->request[k]);
  for (int k = 0; k < t->n_peers; k++)
    MPI_Isend(t->send[k], (int)t->send_bytes[k], MPI_BYTE, t->peer[k], 2, comm,
              &a->request[t->n_peers + k]);
}

static void finish(struct transport *t)
{
  struct aware *a = t->private_data;
  ranks_wait_begin(t->ranks);
  wait_requests(t->ranks, 2 * t->n_peers, a->request);
  ranks_wait_end(t->ranks);
}

static void close_aware(struct transport *t)
{
  device_wait(t->channel->stream);
  transport_buffers_free(t);
  free(t->private_data);
}

const struct transport_ops transport_cuda_aware = {
    "cuda_aware", usable, open_aware, reserve, start, finish, close_aware, NULL, NULL, NULL};
