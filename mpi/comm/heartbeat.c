#define _GNU_SOURCE /* pipe2 */
#include "mpi/comm/heartbeat.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "mpi/comm/ranks_mpi.h"
#include "mpi/comm/ring.h"
#include "mpi/comm/thread.h"

enum { TEXT_MOST = 384 };
/* Seconds that a launcher has to end the other ranks after a process has ended; and for which all
   ranks have waited after a failed write. */
enum { GRACE = 10 };
enum { FACTOR = 10 }; /* of the longest step so far */
/* Lower limits, in seconds and in timeouts, before the second step; and for the set-up. */
enum { FIRST = 600, FIRST_FACTOR = 10, SETUP = 3600 };
enum { DEAF = 4 }; /* periods without a beat after which a rank has no current data of the others */
enum { FLUSH_MS = 100 }; /* to send the rest of a beat before the final one */
enum { HOP_MS = 50 };    /* mean time, at most, in which a rank passes on that another works */

/* The message that neighbours in the ring send each other. */
struct beat {
  int32_t end; /* status with which the sender ends, for the reason in text; 0: it does not */
  char text[TEXT_MOST]; /* of the end */
  double idle;          /* s since any rank was last known to work */
  int64_t collectives;  /* of the sender's pulse */
};

/* One neighbour. */
struct side {
  struct beat in, out;
  size_t got, left;       /* bytes of in received; bytes of out left to send */
  int closed;             /* the connection is closed */
  int ended;              /* the process has ended */
  int64_t in_collectives; /* of the last beat received */
  double silent;          /* s */
};

struct heartbeat {
  struct ring ring;
  struct pulse *pulse;
  MPI_Comm comm; /* of the ranks */
  struct side side[RING_SIDES];
  pthread_t thread;
  int wake[2]; /* a pipe that wakes the thread to end it */
  int size;
  int beside; /* heartbeat_open_beside */
  double timeout, period;
  double sent;      /* time of the last beat */
  long long count;  /* of the pulse, when it was last seen to change */
  long long writes; /* calls that write of this process, when they were last seen to change */
  double unmoved;   /* s since then */
  double worked;    /* s of these in a step without waiting for another rank */
  double longest;   /* s, the largest of these that ended */
  double idle;      /* see struct beat */
  int news; /* 1: a neighbour has reported that some rank works, which this rank did not know */
};

/* Sends as much of the beat as the socket takes; the rest is sent later. */
static void send_rest(struct heartbeat *h, int k)
{
  struct side *s = &h->side[k];
  const char *from = (const char *)&s->out + (sizeof s->out - s->left);
  ssize_t n = send(h->ring.socket[k], from, s->left, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n > 0) s->left -= (size_t)n;
}

/* Sends a beat, unless the neighbour has not read the one before. */
static void send_beat(struct heartbeat *h, int k, int32_t end, const char *text)
{
  struct side *s = &h->side[k];
  if (s->closed) return;
  if (s->left == 0) {
    memset(&s->out, 0, sizeof s->out);
    s->out.end = end;
    s->out.idle = h->idle;
    s->out.collectives = atomic_load(&h->pulse->collectives);
    snprintf(s->out.text, sizeof s->out.text, "%s", text);
    s->left = sizeof s->out;
  }
  send_rest(h, k);
}

/* Sends what is left of a beat, for FLUSH_MS at most. */
static void flush(struct heartbeat *h, int k)
{
  const struct side *s = &h->side[k];
  double stop = ring_time() + 1e-3 * FLUSH_MS;
  struct pollfd p = {h->ring.socket[k], POLLOUT, 0};
  while (!s->closed && s->left > 0 && ring_time() < stop) {
    if (poll(&p, 1, FLUSH_MS / 4) > 0 && p.revents & (POLLERR | POLLHUP)) return;
    send_rest(h, k);
  }
}

/* Notifies the neighbours and ends the rank. Rank 0 and the ranks that found the reason print it.
 */
static _Noreturn void leave(struct heartbeat *h, enum status status, const char *text, int found)
{
  for (int k = 0; k < RING_SIDES; k++) {
    flush(h, k);
    send_beat(h, k, (int32_t)status, text);
    flush(h, k);
    shutdown(h->ring.socket[k], SHUT_RDWR);
  }
  die_now(status, found ? text : NULL);
}

/* The same for a reason that this rank has found. */
static _Noreturn __attribute__((format(printf, 3, 4))) void
end(struct heartbeat *h, enum status status, const char *format, ...)
{
  char text[TEXT_MOST];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  leave(h, status, text, 1);
}

/* Receives the beats of a neighbour that have arrived. */
static void receive_beats(struct heartbeat *h, int k)
{
  struct side *s = &h->side[k];
  while (!s->closed) {
    ssize_t n =
        recv(h->ring.socket[k], (char *)&s->in + s->got, sizeof s->in - s->got, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) {
      s->closed = 1;
      s->ended = n == 0 || errno == ECONNRESET;
      return;
    }
    s->silent = 0;
    s->got += (size_t)n;
    if (s->got < sizeof s->in) continue;
    s->got = 0;
    s->in.text[TEXT_MOST - 1] = 0;
    if (s->in.end) leave(h, (enum status)s->in.end, s->in.text, 0);
    h->news |= s->in.idle < h->idle - 0.5 * h->period;
    h->idle = fmin(h->idle, s->in.idle);
    s->in_collectives = s->in.collectives;
  }
}

static int device_waits(struct pulse *p)
{
  int any = 0;
  pthread_mutex_lock(&p->device_lock);
  for (int k = 0; p->device && k < p->n_device; k++)
    any |= p->device[k] != 0;
  pthread_mutex_unlock(&p->device_lock);
  return any;
}

/* 1 if the thread that writes files waits for another rank. */
static int files_wait(struct heartbeat *h)
{
  return atomic_load(&h->pulse->file_waits) || file_call_waits(&h->pulse->file_call, &h->writes);
}

/* 1 if the main thread waits for another rank. Between two steps only calls of MPI count, and files
   that wait for another rank, since the main thread may be writing files. */
static int waits(struct heartbeat *h)
{
  struct pulse *p = h->pulse;
  if (atomic_load(&p->waits)) return 1;
  if (!atomic_load(&p->stepping)) return files_wait(h);
  return atomic_load(&p->unknown) || device_waits(p);
}

/* 1 if a neighbour is lost. While the main thread of this rank makes progress, no rank is lost, and
   only the network of the heartbeat has failed. A broken connection between living processes is no
   reason. */
static int is_lost(const struct heartbeat *h, const struct side *s)
{
  double grace = fmin(GRACE, h->timeout);
  if (s->ended) return s->silent >= grace && h->unmoved >= grace;
  return !s->closed && s->silent >= h->timeout &&
         h->unmoved >= fmax(h->timeout - GRACE, h->timeout / 2);
}

static void judge_neighbours(struct heartbeat *h)
{
  static const char died[] = "rank %d on host %s (process %d) has died; seen by rank %d on "
                             "host %s. The same command continues from the last checkpoint";
  const struct ring_member *me = &h->ring.self;
  for (int k = 0; k < RING_SIDES; k++) {
    const struct ring_member *p = &h->ring.peer[k];
    const struct side *s = &h->side[k];
    if (!is_lost(h, s)) continue;
    if (s->ended) end(h, STATUS_RANK, died, p->rank, p->host, p->pid, me->rank, me->host);
    end(h, STATUS_RANK,
        "rank %d on host %s (process %d) is stopped, or its host is lost: rank %d on "
        "host %s has not heard of it for %.0f s (parallel.timeout). The same command "
        "continues from the last checkpoint",
        p->rank, p->host, p->pid, me->rank, me->host, h->timeout);
  }
}

/* 1 if this rank has completed fewer collective calls than both neighbours: then it hangs in one,
   or before it. */
static int is_behind(const struct heartbeat *h)
{
  long long collectives = atomic_load(&h->pulse->collectives);
  return collectives < h->side[RING_BEFORE].in_collectives &&
         collectives < h->side[RING_AFTER].in_collectives;
}

static _Noreturn void end_hanging(struct heartbeat *h, double seconds, const char *how)
{
  const struct ring_member *me = &h->ring.self;
  end(h, STATUS_RANK,
      "rank %d on host %s (process %d) hangs: for %.0f s (parallel.timeout) %s. See nvidia-smi "
      "and the system log of that host. The same command continues from the last checkpoint",
      me->rank, me->host, me->pid, seconds, how);
}

static _Noreturn void end_stuck(struct heartbeat *h)
{
  char why[TEXT_MOST / 2] = "a message was lost, or a GPU hangs";
  if (atomic_load(&h->pulse->file_call.thread))
    snprintf(why, sizeof why, "they write '%.120s', which has failed on one of them",
             atomic_load(&h->pulse->file_call.path));
  end(h, STATUS_RANK,
      "rank %d on host %s: all ranks have waited for each other for %.0f s "
      "(parallel.timeout): %s. The same command continues from the last checkpoint",
      h->ring.self.rank, h->ring.self.host, h->idle, why);
}

/* A write of this rank has failed, and HDF5 went on. */
static _Noreturn void end_failed_write(struct heartbeat *h, int error)
{
  end(h, STATUS_IO,
      "rank %d: cannot write '%s': %s; check that the disk works and has space. Files and frames "
      "that were finished before are whole",
      h->ring.self.rank, atomic_load(&h->pulse->file_call.path), strerror(error));
}

/* 1 if beats of a neighbour are missing: this rank may not know that another rank works. */
static int is_deaf(const struct heartbeat *h)
{
  for (int k = 0; k < RING_SIDES; k++)
    if (h->side[k].closed || h->side[k].silent > DEAF * h->period) return 1;
  return 0;
}

/* Updates the times of the main thread after an iteration that took so many seconds. */
static void step_follow(struct heartbeat *h, double passed, int waiting)
{
  struct pulse *p = h->pulse;
  long long count = atomic_load(&p->count) + atomic_load(&p->file_count);
  int moved = count != h->count, away = !atomic_load(&p->stepping) || log_is_ending();
  h->count = count;
  h->unmoved = moved ? 0 : h->unmoved + passed;
  h->idle = waiting && !moved && !is_deaf(h) && !log_is_ending() ? h->idle + passed : 0;
  if (moved || away) {
    h->longest = fmax(h->longest, h->worked);
    h->worked = 0;
  } else if (!waiting || atomic_load(&p->unknown)) {
    h->worked += passed;
  }
}

/* Ends the rank if a limit is exceeded. The limits of set-up and first step are larger, since they
   load kernels and read large files. If all ranks wait, the rank that is behind ends first; the
   others wait longer. Limits include the time in which beats tell all ranks of one that works:
   HOP_MS for each rank of the ring. A rank that is ending may still write files. */
static void judge_step(struct heartbeat *h, int waiting)
{
  const int steps = atomic_load(&h->pulse->steps);
  if (log_is_ending()) return;
  double limit = fmax(h->timeout, FACTOR * h->longest);
  if (steps < 2) limit = fmax(limit, fmax(FIRST, FIRST_FACTOR * h->timeout));
  int files = !atomic_load(&h->pulse->stepping) && !atomic_load(&h->pulse->waits);
  double around = h->size * fmin(h->period, 1e-3 * HOP_MS) + DEAF * h->period;
  double all = (files ? h->timeout : limit) + around;
  if (!waiting && h->worked > (steps < 1 ? fmax(limit, SETUP) : limit))
    end_hanging(h, h->worked, "it has been in one step and has waited for no other rank");
  if (files && h->idle > fmin(GRACE, h->timeout) && file_call_error(&h->pulse->file_call))
    end_failed_write(h, file_call_error(&h->pulse->file_call));
  if (h->idle > all && is_behind(h))
    end_hanging(h, h->idle, "all ranks have waited for each other, and it is behind the others");
  if (h->idle > all + 4 * h->period) end_stuck(h);
}

/* Waits for a beat, a period at most. 0 if the thread has to end. */
static int wait_turn(struct heartbeat *h, double from)
{
  struct pollfd p[RING_SIDES + 1];
  double left = h->sent + h->period - from;
  for (int k = 0; k < RING_SIDES; k++)
    p[k] = (struct pollfd){h->side[k].closed ? -1 : h->ring.socket[k], POLLIN, 0};
  p[RING_SIDES] = (struct pollfd){h->wake[0], POLLIN, 0};
  poll(p, RING_SIDES + 1, left > 0 ? (int)ceil(1000 * left) : 0);
  return !p[RING_SIDES].revents;
}

static void *thread_main(void *argument)
{
  struct heartbeat *h = argument;
  double last = ring_time();
  h->sent = last - h->period;
  while (wait_turn(h, last)) {
    double t = ring_time(), passed = fmin(t - last, 2 * h->period);
    const int waiting = waits(h);
    last = t;
    for (int k = 0; k < RING_SIDES; k++)
      h->side[k].silent += passed;
    step_follow(h, passed, waiting); /* before beats, which say what is true now */
    for (int k = 0; k < RING_SIDES; k++)
      receive_beats(h, k);
    if (!h->beside) judge_step(h, waiting);
    judge_neighbours(h);
    if (t < h->sent + h->period && !h->news) continue;
    h->news = 0;
    for (int k = 0; k < RING_SIDES; k++)
      send_beat(h, k, 0, "");
    h->sent = t;
  }
  return NULL;
}

/* Starts a heartbeat of r that watches a main thread by its pulse. NULL, with a warning, if the
   ranks cannot connect. */
static struct heartbeat *open_ring(struct ranks *r, struct pulse *pulse, double seconds, int beside)
{
  enum { WHY_MOST = 256 };
  char why[WHY_MOST];
  struct heartbeat *h = alloc_array(1, sizeof *h);
  h->size = r->size;
  h->beside = beside;
  h->timeout = seconds;
  h->period = fmin(1, seconds / 8);
  h->pulse = pulse;
  h->comm = ranks_comm(r);
  int good = ring_open(&h->ring, r, why, WHY_MOST), error = 0;
  if (good) error = pipe2(h->wake, O_CLOEXEC) ? errno : thread_start(&h->thread, thread_main, h);
  if (error)
    die(STATUS_INPUT, "no thread for the heartbeat: %s; parallel.timeout=0 does without",
        strerror(error));
  if (good) return h;
  warn("no heartbeat: %s. A lost host may leave the other ranks waiting", why);
  free(h);
  return NULL;
}

struct heartbeat *heartbeat_open(struct ranks *r, double seconds)
{
  struct pulse *pulse = &r->mpi->pulse;
  atomic_store(&pulse->endless, !(seconds > 0));
  if (r->size == 1 || !(seconds > 0)) return NULL;
  struct heartbeat *h = open_ring(r, pulse, seconds, 0);
  atomic_store(&pulse->endless, h != NULL);
  return h;
}

struct heartbeat *heartbeat_open_beside(struct ranks *all, const struct ranks *own, double seconds)
{
  return seconds > 0 ? open_ring(all, &own->mpi->pulse, seconds, 1) : NULL;
}

void heartbeat_close(struct heartbeat *h)
{
  if (!h) return;
  MPI_Barrier(h->comm);
  while (write(h->wake[1], "", 1) < 0 && errno == EINTR)
    continue;
  pthread_join(h->thread, NULL);
  if (!h->beside) atomic_store(&h->pulse->endless, 0);
  ring_close(&h->ring);
  close(h->wake[0]);
  close(h->wake[1]);
  free(h);
}

void heartbeat_step_begin(const struct ranks *r)
{
  atomic_store_explicit(&r->mpi->pulse.stepping, 1, memory_order_relaxed);
}

void heartbeat_step_end(const struct ranks *r)
{
  struct pulse *p = &r->mpi->pulse;
  long long count = atomic_load_explicit(&p->count, memory_order_relaxed);
  atomic_store_explicit(&p->count, count + 1, memory_order_relaxed);
  atomic_store_explicit(&p->stepping, 0, memory_order_relaxed);
  pulse_count_collective(p);
  int steps = atomic_load_explicit(&p->steps, memory_order_relaxed);
  if (steps < 2) atomic_store_explicit(&p->steps, steps + 1, memory_order_relaxed);
}

int heartbeat_waits_endless(const struct ranks *r)
{
  return atomic_load(&r->mpi->pulse.endless);
}

void heartbeat_device_waits(const struct ranks *r, const volatile int32_t *word, int n)
{
  struct pulse *p = &r->mpi->pulse;
  pthread_mutex_lock(&p->device_lock);
  p->device = word;
  p->n_device = n;
  pthread_mutex_unlock(&p->device_lock);
}

void heartbeat_device_unknown(const struct ranks *r, int yes)
{
  atomic_store(&r->mpi->pulse.unknown, yes);
}
