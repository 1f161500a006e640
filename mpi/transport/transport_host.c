/* Transports of host buffers: that of one rank, whose partners are all owned beads by the minimum
   image, so that it has no messages; and non-blocking MPI. */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "mpi/comm/ranks_mpi.h"
#include "mpi/comm/wait.h"
#include "mpi/transport/transport.h"

static int self_usable(const struct transport *t, char *why, int size)
{
  snprintf(why, (size_t)size, "it serves a single rank only");
  return t->ranks->size == 1;
}

static int host_usable(const struct transport *t, char *why, int size)
{
  snprintf(why, (size_t)size, "%s",
           t->channel ? "the beads are in the memory of GPUs"
                      : "it carries messages between ranks, and there is one");
  return t->ranks->size > 1 && !t->channel;
}

static void open_host(struct transport *t)
{
  t->private_data = alloc_array(2LL * PEERS_MOST, sizeof(MPI_Request));
}

static void grow(int64_t bytes, int64_t *room, void **buffer)
{
  if (bytes <= *room) return;
  *room = transport_room(bytes);
  *buffer = grow_array(*buffer, *room, 1);
}

static void reserve(struct transport *t)
{
  for (int k = 0; k < t->n_peers; k++) {
    grow(t->send_bytes[k], &t->send_room[k], &t->send[k]);
    grow(t->receive_bytes[k], &t->receive_room[k], &t->receive[k]);
  }
}

static void send(struct transport *t)
{
  MPI_Request *request = t->private_data;
  MPI_Comm comm = ranks_comm(t->ranks);
  for (int k = 0; k < t->n_peers; k++)
    MPI_Irecv(t->receive[k], (int)t->receive_bytes[k], MPI_BYTE, t->peer[k], 2, comm, &request[k]);
  for (int k = 0; k < t->n_peers; k++)
    MPI_Isend(t->send[k], (int)t->send_bytes[k], MPI_BYTE, t->peer[k], 2, comm,
              &request[t->n_peers + k]);
}

static struct device_wait receive(struct transport *t)
{
  ranks_wait_begin(t->ranks);
  wait_requests(t->ranks, 2 * t->n_peers, t->private_data);
  ranks_wait_end(t->ranks);
  return (struct device_wait){0};
}

static void close_host(struct transport *t)
{
  for (int k = 0; k < t->n_peers; k++) {
    free(t->send[k]);
    free(t->receive[k]);
    t->send[k] = t->receive[k] = NULL;
    t->send_room[k] = t->receive_room[k] = 0;
  }
  free(t->private_data);
}

const struct transport_ops transport_self = {.name = "self", .usable = self_usable},
                           transport_host = {.name = "staged",
                                             .usable = host_usable,
                                             .open = open_host,
                                             .reserve = reserve,
                                             .send = send,
                                             .receive = receive,
                                             .close = close_host};
