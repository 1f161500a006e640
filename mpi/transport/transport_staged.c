/* Host buffers and non-blocking MPI: works everywhere. For buffers of GPUs: transport_links.c. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "mpi/comm/ranks_mpi.h"
#include "mpi/comm/wait.h"
#include "mpi/transport/transport.h"

struct staged {
  MPI_Request request[2 * PEERS_MOST];
};

static int usable(const struct transport *t, char *why, int size)
{
  snprintf(why, (size_t)size, "%s",
           t->channel ? "the beads are in the memory of GPUs"
                      : "it carries messages between ranks, and there is one");
  return t->ranks->size > 1 && !t->channel;
}

static void open_staged(struct transport *t)
{
  t->private_data = alloc_array(1, sizeof(struct staged));
}

static void grow(int64_t bytes, int64_t *room, void **buffer)
{
  if (bytes > INT_MAX) die(STATUS_INPUT, "a halo message of more than 2 GiB; use more ranks");
  if (bytes <= *room) return;
  *room = bytes * 5 / 4 + 256;
  *buffer = grow_array(*buffer, *room, 1);
}

static void reserve(struct transport *t)
{
  for (int k = 0; k < t->n_peers; k++) {
    grow(t->send_bytes[k], &t->send_room[k], &t->send[k]);
    grow(t->receive_bytes[k], &t->receive_room[k], &t->receive[k]);
  }
}

static void start(struct transport *t)
{
  struct staged *s = t->private_data;
  MPI_Comm comm = ranks_comm(t->ranks);
  for (int k = 0; k < t->n_peers; k++)
    MPI_Irecv(t->receive[k], (int)t->receive_bytes[k], MPI_BYTE, t->peer[k], 2, comm,
              &s->request[k]);
  for (int k = 0; k < t->n_peers; k++)
    MPI_Isend(t->send[k], (int)t->send_bytes[k], MPI_BYTE, t->peer[k], 2, comm,
              &s->request[t->n_peers + k]);
}

static void finish(struct transport *t)
{
  struct staged *s = t->private_data;
  ranks_wait_begin(t->ranks);
  wait_requests(t->ranks, 2 * t->n_peers, s->request);
  ranks_wait_end(t->ranks);
}

static void close_staged(struct transport *t)
{
  for (int k = 0; k < t->n_peers; k++) {
    free(t->send[k]);
    free(t->receive[k]);
    t->send[k] = t->receive[k] = NULL;
    t->send_room[k] = t->receive_room[k] = 0;
  }
  free(t->private_data);
}

const struct transport_ops transport_staged = {.name = "staged",
                                               .usable = usable,
                                               .open = open_staged,
                                               .reserve = reserve,
                                               .start = start,
                                               .finish = finish,
                                               .close = close_staged};
