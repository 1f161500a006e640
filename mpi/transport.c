#include "transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "device_memory.h"
#include "log.h"
#include "ranks_mpi.h"

/* In order of preference. */
extern const struct transport_ops transport_self, transport_staged;
static const struct transport_ops *const all[] = {&transport_self, &transport_staged};

static void peers_set(struct transport *t)
{
  int size = t->ranks->size, rank = t->ranks->rank;
  t->n_peers = size == 1 ? 0 : size == 2 ? 1 : 2;
  t->peer[0] = (rank + size - 1) % size;
  t->peer[1] = (rank + 1) % size;
}

/* Copies from or to a buffer, wherever it is. */
static void buffer_copy(struct transport *t, void *to, const void *from, int64_t bytes)
{
  if (!t->on_device) {
    memcpy(to, from, (size_t)bytes);
    return;
  }
  device_copy(to, from, bytes, t->stream);
  device_wait(t->stream);
}

enum { TEST_BYTES = 4097 };

static unsigned char test_byte(int from, int to, int64_t place)
{
  return (unsigned char)(from * 7 + to * 3 + (int)place);
}

/* Messages of several sizes, each byte a function of sender, receiver and place. */
static int self_test(struct transport *t)
{
  unsigned char data[TEST_BYTES];
  int good = 1;
  for (int64_t bytes = 1; bytes <= TEST_BYTES; bytes *= 16) {
    int64_t size[PEERS] = {bytes, bytes};
    transport_reserve(t, size, size);
    for (int k = 0; k < t->n_peers; k++) {
      for (int64_t m = 0; m < bytes; m++)
        data[m] = test_byte(t->ranks->rank, t->peer[k], m);
      buffer_copy(t, t->send[k], data, bytes);
    }
    transport_start(t);
    transport_finish(t);
    for (int k = 0; k < t->n_peers; k++) {
      buffer_copy(t, data, t->receive[k], bytes);
      for (int64_t m = 0; m < bytes; m++)
        good &= data[m] == test_byte(t->peer[k], t->ranks->rank, m);
    }
  }
  return good;
}

static int agreed(const struct ranks *r, int64_t yes)
{
  ranks_min_int64(r, &yes, 1);
  return (int)yes;
}

void transport_open(struct transport *t, const struct ranks *r, const char *name, int on_device)
{
  char why[256] = "there is no transport of that name";
  memset(t, 0, sizeof *t);
  t->ranks = r;
  t->on_device = on_device;
  peers_set(t);
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    if (strcmp(name, "auto") && strcmp(name, all[k]->name)) continue;
    if (!agreed(r, all[k]->usable(r, on_device, why, (int)sizeof why))) continue;
    t->ops = all[k];
    t->ops->open(t);
    if (agreed(r, self_test(t))) return;
    snprintf(why, sizeof why, "it did not deliver what was sent in the start-up test");
    if (!strcmp(name, "auto")) warn("transport %s: %s; trying the next", all[k]->name, why);
    transport_close(t);
  }
  die_all(STATUS_INPUT, "parallel.transport: %s cannot be used: %s", name, why);
}

void transport_close(struct transport *t)
{
  if (t->ops) t->ops->close(t);
  t->ops = NULL;
}

void transport_resize(struct transport *t, const int64_t send[PEERS], const int64_t receive[PEERS])
{
  for (int k = 0; k < t->n_peers; k++) {
    t->send_bytes[k] = send[k];
    t->receive_bytes[k] = receive[k];
  }
}

void transport_reserve(struct transport *t, const int64_t send[PEERS], const int64_t receive[PEERS])
{
  transport_resize(t, send, receive);
  t->ops->reserve(t);
}

void transport_start(struct transport *t)
{
  t->ops->start(t);
}

void transport_finish(struct transport *t)
{
  t->ops->finish(t);
}

void transport_counts(struct transport *t, const int64_t send[PEERS], int64_t receive[PEERS])
{
  MPI_Request request[2 * PEERS];
  MPI_Comm comm = ranks_comm(t->ranks);
  for (int k = 0; k < t->n_peers; k++) {
    MPI_Irecv(&receive[k], 1, MPI_INT64_T, t->peer[k], 1, comm, &request[2 * k]);
    MPI_Isend(&send[k], 1, MPI_INT64_T, t->peer[k], 1, comm, &request[2 * k + 1]);
  }
  MPI_Waitall(2 * t->n_peers, request, MPI_STATUSES_IGNORE);
}
