#include "mpi/transport/transport_buffers.h"

#include "mpi/transport/device_memory.h"

static void buffer_grow(int64_t bytes, int64_t *room, void **buffer)
{
  if (bytes <= *room) return;
  *room = bytes / 4 * 5 + 256;
  *buffer = device_grow(*buffer, *room);
}

void transport_buffers_grow(struct transport *t)
{
  device_wait(t->channel->stream);
  for (int k = 0; k < t->n_peers; k++) {
    buffer_grow(t->send_bytes[k], &t->send_room[k], &t->send[k]);
    buffer_grow(t->receive_bytes[k], &t->receive_room[k], &t->receive[k]);
  }
}

void transport_buffers_free(struct transport *t)
{
  for (int k = 0; k < t->n_peers; k++) {
    device_free(t->send[k]);
    device_free(t->receive[k]);
    t->send[k] = t->receive[k] = NULL;
    t->send_room[k] = t->receive_room[k] = 0;
  }
}
