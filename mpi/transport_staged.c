/* Host buffers and non-blocking MPI: always works. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "log.h"
#include "ranks_mpi.h"
#include "transport.h"

struct staged {
  MPI_Request request[2 * PEERS];
};

static int usable(const struct ranks *r, int on_device, char *why, int size)
{
  snprintf(why, (size_t)size, "it carries messages between ranks, and there is one");
  return r->size > 1 && !on_device;
}

static void open_staged(struct transport *t)
{
  t->private_data = alloc_array(1, sizeof(struct staged));
}

static void reserve(struct transport *t)
{
  for (int k = 0; k < t->n_peers; k++) {
    if (t->send_bytes[k] > INT_MAX || t->receive_bytes[k] > INT_MAX)
      die(STATUS_INPUT, "a halo message of more than 2 GiB; use more ranks");
    if (t->send_bytes[k] > t->send_room[k]) {
      t->send_room[k] = t->send_bytes[k] * 5 / 4 + 256;
      t->send[k] = grow_array(t->send[k], t->send_room[k], 1);
    }
    if (t->receive_bytes[k] > t->receive_room[k]) {
      t->receive_room[k] = t->receive_bytes[k] * 5 / 4 + 256;
      t->receive[k] = grow_array(t->receive[k], t->receive_room[k], 1);
    }
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
  MPI_Waitall(2 * t->n_peers, s->request, MPI_STATUSES_IGNORE);
}

static void close_staged(struct transport *t)
{
  for (int k = 0; k < PEERS; k++) {
    free(t->send[k]);
    free(t->receive[k]);
    t->send[k] = t->receive[k] = NULL;
    t->send_room[k] = t->receive_room[k] = 0;
  }
  free(t->private_data);
}

const struct transport_ops transport_staged = {"staged", usable, open_staged, reserve,
                                               start,    finish, close_staged};
