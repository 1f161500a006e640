#define _GNU_SOURCE /* CPU_COUNT */
#include "mpi/transport/messenger.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "backend/domain.h"
#include "base/log.h"
#include "mpi/comm/ranks_mpi.h"
#include "mpi/comm/thread.h"
#include "mpi/comm/wait.h"

enum { ORDERS = 64, TAG = 1 };
enum operation { EXCHANGE, REDUCE, END };

struct order {
  enum operation operation;
  uint64_t number;
  int n; /* parcels, or words */
  struct parcel parcel[PEERS_MOST];
};

struct messenger {
  struct message_lines halo, reduction;
  int gives_core;
  struct ranks ranks; /* a copy, for its communicator */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int64_t ordered, done; /* under lock; order k is in order[k % ORDERS] */
  struct order order[ORDERS];
};

/* The GPU stores the number last, with a release of system scope. */
static void await_gpu(const struct messenger *m, struct device_line *out, uint64_t number)
{
  const double from = MPI_Wtime();
  while (__atomic_load_n(&out->message[number % 2], __ATOMIC_ACQUIRE) < number)
    wait_pause(m->gives_core, from);
}

static void tell_gpu(struct device_line *in, uint64_t number)
{
  __atomic_store_n(&in->message[number % 2], number, __ATOMIC_RELEASE);
}

static void exchange(const struct messenger *m, const struct order *o)
{
  MPI_Request request[2 * PEERS_MOST];
  MPI_Comm comm = ranks_comm(&m->ranks);
  for (int k = 0; k < o->n; k++)
    MPI_Irecv(o->parcel[k].receive, (int)o->parcel[k].receive_bytes, MPI_BYTE, o->parcel[k].peer,
              TAG, comm, &request[k]);
  await_gpu(m, m->halo.out, o->number);
  for (int k = 0; k < o->n; k++)
    MPI_Isend(o->parcel[k].send, (int)o->parcel[k].send_bytes, MPI_BYTE, o->parcel[k].peer, TAG,
              comm, &request[o->n + k]);
  wait_testing(m->gives_core, 2 * o->n, request);
  tell_gpu(m->halo.in, o->number);
}

static void reduce(const struct messenger *m, const struct order *o)
{
  MPI_Request request;
  struct device_line *out = m->reduction.out, *in = m->reduction.in;
  const int parity = (int)(o->number % 2);
  await_gpu(m, out, o->number);
  if (o->n > 0)
    MPI_Iallreduce(out->word[parity], in->word[parity], o->n, MPI_INT64_T, MPI_SUM,
                   ranks_comm(&m->ranks), &request);
  else
    MPI_Iallreduce(&out->flag[parity], &in->flag[parity], 1, MPI_UINT64_T, MPI_MAX,
                   ranks_comm(&m->ranks), &request);
  wait_testing(m->gives_core, 1, &request);
  tell_gpu(in, o->number);
}

/* The next order, which stays in its place until it is done. */
static const struct order *next_order(struct messenger *m)
{
  pthread_mutex_lock(&m->lock);
  while (m->done == m->ordered)
    pthread_cond_wait(&m->changed, &m->lock);
  const struct order *o = &m->order[m->done % ORDERS];
  pthread_mutex_unlock(&m->lock);
  return o;
}

static void order_done(struct messenger *m)
{
  pthread_mutex_lock(&m->lock);
  m->done++;
  pthread_cond_signal(&m->changed);
  pthread_mutex_unlock(&m->lock);
}

/* A launcher may have bound the rank to one core, on which the main thread waits for the GPU. The
   messenger may use every core that the job has; if that is one, it gives it away while it waits.
 */
static void choose_cores(struct messenger *m)
{
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) || CPU_COUNT(&cores) > 1) return;
  for (size_t k = 0; k < CPU_SETSIZE; k++)
    CPU_SET(k, &cores);
  (void)sched_setaffinity(0, sizeof cores, &cores);
  m->gives_core |= sched_getaffinity(0, sizeof cores, &cores) || CPU_COUNT(&cores) < 2;
}

static void *thread_main(void *argument)
{
  struct messenger *m = argument;
  const struct order *o;
  choose_cores(m);
  for (o = next_order(m); o->operation != END; o = next_order(m)) {
    if (o->operation == EXCHANGE)
      exchange(m, o);
    else
      reduce(m, o);
    order_done(m);
  }
  return NULL;
}

struct messenger *messenger_open(const struct ranks *r, struct message_lines halo,
                                 struct message_lines reduction)
{
  struct messenger *m = alloc_array(1, sizeof *m);
  m->halo = halo;
  m->reduction = reduction;
  m->gives_core = r->gives_core;
  ranks_copy(r, &m->ranks);
  pthread_mutex_init(&m->lock, NULL);
  pthread_cond_init(&m->changed, NULL);
  int error = thread_start(&m->thread, thread_main, m);
  if (error) die(STATUS_INPUT, "a thread for messages: %s", strerror(error));
  return m;
}

static void put_order(struct messenger *m, const struct order *o)
{
  pthread_mutex_lock(&m->lock);
  while (m->ordered - m->done == ORDERS)
    pthread_cond_wait(&m->changed, &m->lock);
  m->order[m->ordered % ORDERS] = *o;
  m->ordered++;
  pthread_cond_signal(&m->changed);
  pthread_mutex_unlock(&m->lock);
}

void messenger_exchange(struct messenger *m, uint64_t number, int n, const struct parcel *parcel)
{
  struct order o = {.operation = EXCHANGE, .number = number, .n = n};
  memcpy(o.parcel, parcel, (size_t)n * sizeof *parcel);
  put_order(m, &o);
}

void messenger_reduce(struct messenger *m, uint64_t number, int words)
{
  const struct order o = {.operation = REDUCE, .number = number, .n = words};
  put_order(m, &o);
}

void messenger_close(struct messenger *m)
{
  const struct order o = {.operation = END};
  put_order(m, &o);
  pthread_join(m->thread, NULL);
  pthread_cond_destroy(&m->changed);
  pthread_mutex_destroy(&m->lock);
  ranks_copy_free(&m->ranks);
  free(m);
}
