/* Host buffers and non-blocking MPI: works everywhere. Device buffers are copied to and from pinned
   host memory, and the host waits for the copies. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "mpi/comm/ranks_mpi.h"
#include "mpi/comm/wait.h"
#include "mpi/transport/device_memory.h"
#include "mpi/transport/transport.h"

struct staged {
  MPI_Request request[2 * PEERS_MOST];
  void *send[PEERS_MOST],
      *receive[PEERS_MOST]; /* the buffers for MPI: those of t, or pinned ones */
};

static int usable(const struct ranks *r, int on_device, char *why, int size)
{
  (void)on_device;
  snprintf(why, (size_t)size, "it carries messages between ranks, and there is one");
  return r->size > 1;
}

static void open_staged(struct transport *t)
{
  t->private_data = alloc_array(1, sizeof(struct staged));
}

static void grow(struct transport *t, int64_t bytes, int64_t *room, void **buffer, void **seen)
{
  if (bytes > INT_MAX) die(STATUS_INPUT, "a halo message of more than 2 GiB; use more ranks");
  if (bytes <= *room) return;
  *room = bytes * 5 / 4 + 256;
  if (t->channel) {
    *buffer = device_grow(*buffer, *room);
    *seen = pinned_grow(*seen, *room);
  } else {
    *seen = *buffer = grow_array(*buffer, *room, 1);
  }
}

static void reserve(struct transport *t)
{
  struct staged *s = t->private_data;
  for (int k = 0; k < t->n_peers; k++) {
    grow(t, t->send_bytes[k], &t->send_room[k], &t->send[k], &s->send[k]);
    grow(t, t->receive_bytes[k], &t->receive_room[k], &t->receive[k], &s->receive[k]);
  }
}

static void start(struct transport *t)
{
  struct staged *s = t->private_data;
  MPI_Comm comm = ranks_comm(t->ranks);
  if (t->channel) {
    for (int k = 0; k < t->n_peers; k++)
      device_copy(s->send[k], t->send[k], t->send_bytes[k], t->channel->stream);
    device_wait(t->channel->stream);
  }
  for (int k = 0; k < t->n_peers; k++)
    MPI_Irecv(s->receive[k], (int)t->receive_bytes[k], MPI_BYTE, t->peer[k], 2, comm,
              &s->request[k]);
  for (int k = 0; k < t->n_peers; k++)
    MPI_Isend(s->send[k], (int)t->send_bytes[k], MPI_BYTE, t->peer[k], 2, comm,
              &s->request[t->n_peers + k]);
}

static void finish(struct transport *t)
{
  struct staged *s = t->private_data;
  ranks_wait_begin(t->ranks);
  wait_requests(t->ranks, 2 * t->n_peers, s->request);
  ranks_wait_end(t->ranks);
  if (!t->channel) return;
  for (int k = 0; k < t->n_peers; k++)
    device_copy(t->receive[k], s->receive[k], t->receive_bytes[k], t->channel->stream);
}

static void close_staged(struct transport *t)
{
  struct staged *s = t->private_data;
  if (t->channel) device_wait(t->channel->stream);
  for (int k = 0; k < t->n_peers; k++) {
    if (t->channel) {
      device_free(t->send[k]);
      device_free(t->receive[k]);
      pinned_free(s->send[k]);
      pinned_free(s->receive[k]);
    } else {
      free(t->send[k]);
      free(t->receive[k]);
    }
    t->send[k] = t->receive[k] = NULL;
    t->send_room[k] = t->receive_room[k] = 0;
  }
  free(s);
}

const struct transport_ops transport_staged = {"staged", usable,       open_staged, reserve, start,
                                               finish,   close_staged, NULL,        NULL,    NULL};
