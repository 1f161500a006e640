/* Every rank listens on a port of its own. Addresses and ports are gathered by MPI; then each rank
   connects to the next one and accepts the connection of the one before. A random number of the job
   identifies connections of this job. */
#define _GNU_SOURCE /* accept4 */
#include "mpi/comm/ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "mpi/comm/ranks_mpi.h"

enum { ADDRESSES = 12 };
/* ms, at most: of one address; of the call from the rank before, which tries all addresses first;
   of the greeting of a caller */
enum { CONNECT_MS = 2000, ACCEPT_MS = 60000, HELLO_MS = 1000 };
_Static_assert((int)ACCEPT_MS > 2 * (ADDRESSES + 1) * (int)CONNECT_MS, "time to try all addresses");

/* The contact data of a rank. Addresses are IPv4, in network byte order. */
struct card {
  struct ring_member member;
  int port, n;
  uint32_t address[ADDRESSES];
};

struct hello {
  uint64_t job;
  int64_t rank;
};

/* The addresses of the network interfaces of this host. */
static void addresses_find(struct card *c)
{
  struct ifaddrs *all = NULL;
  if (getifaddrs(&all)) return;
  for (const struct ifaddrs *a = all; a && c->n < ADDRESSES; a = a->ifa_next) {
    struct sockaddr_in in;
    if (!a->ifa_addr || a->ifa_addr->sa_family != AF_INET || a->ifa_flags & IFF_LOOPBACK ||
        !(a->ifa_flags & IFF_UP))
      continue;
    memcpy(&in, a->ifa_addr, sizeof in);
    c->address[c->n++] = in.sin_addr.s_addr;
  }
  freeifaddrs(all);
}

/* Opens a listening socket on a free port. -1 with errno on failure. */
static int listener_open(int *port)
{
  struct sockaddr_in in;
  socklen_t size = sizeof in;
  memset(&in, 0, sizeof in);
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(INADDR_ANY);
  int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return -1;
  if (bind(file, (struct sockaddr *)&in, sizeof in) || listen(file, 16) ||
      getsockname(file, (struct sockaddr *)&in, &size)) {
    close(file);
    return -1;
  }
  *port = ntohs(in.sin_port);
  return file;
}

double ring_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until the file is ready: 1, or 0 after ms. Signals do not shorten the wait. */
static int ready(int file, short what, double ms)
{
  struct pollfd p = {file, what, 0};
  double end = ring_time() + 1e-3 * ms;
  int n;
  do {
    double left = end - ring_time();
    n = poll(&p, 1, left > 0 ? (int)(1e3 * left) + 1 : 0);
  } while (n < 0 && errno == EINTR);
  return n == 1;
}

static int connect_to(uint32_t address, int port)
{
  struct sockaddr_in in;
  int error = 0;
  socklen_t size = sizeof error;
  memset(&in, 0, sizeof in);
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = address;
  in.sin_port = htons((uint16_t)port);
  int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return -1;
  if (connect(file, (struct sockaddr *)&in, sizeof in) && errno != EINPROGRESS) error = errno;
  if (!error && !ready(file, POLLOUT, CONNECT_MS)) error = ETIMEDOUT;
  if (!error) getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &size);
  if (!error) return file;
  close(file);
  errno = error;
  return -1;
}

/* 1 if this host has the same address, as is common for network bridges: it does not lead to
   another host. */
static int is_own(const struct card *self, uint32_t address)
{
  for (int k = 0; k < self->n; k++)
    if (self->address[k] == address) return 1;
  return 0;
}

static int call(const struct card *self, const struct card *other)
{
  int file = -1, same = !strcmp(self->member.host, other->member.host);
  errno = EADDRNOTAVAIL;
  if (same) file = connect_to(htonl(INADDR_LOOPBACK), other->port);
  for (int k = 0; k < other->n && file < 0; k++)
    if (same || !is_own(self, other->address[k])) file = connect_to(other->address[k], other->port);
  return file;
}

/* Accepts the connection of one rank, and closes others. -1 with errno on failure. */
static int answer(int listener, uint64_t job, int rank)
{
  struct hello h;
  double end = ring_time() + 1e-3 * ACCEPT_MS;
  while (ring_time() < end && ready(listener, POLLIN, 1e3 * (end - ring_time()))) {
    int file = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (file < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM))
      return -1; /* other errors pass, as of a caller that has gone */
    if (file < 0) continue;
    if (ready(file, POLLIN, HELLO_MS) && recv(file, &h, sizeof h, 0) == sizeof h && h.job == job &&
        h.rank == rank)
      return file;
    close(file);
  }
  errno = ETIMEDOUT;
  return -1;
}

static uint64_t job_number(const struct ranks *r)
{
  uint64_t job = 0;
  if (r->rank == 0 && getrandom(&job, sizeof job, 0) != sizeof job) job = (uint64_t)getpid();
  ranks_broadcast(r, &job, sizeof job);
  return job;
}

static void card_fill(const struct ranks *r, struct card *c)
{
  memset(c, 0, sizeof *c);
  c->member.rank = r->rank;
  c->member.pid = (int)getpid();
  gethostname(c->member.host, HOST_MOST - 1);
  addresses_find(c);
}

/* Opens both connections of this rank, once the contact data of all ranks are known. */
static int connect_both(struct ring *g, const struct ranks *r, const struct card *all, int listener,
                        char *why, int size)
{
  int before = (r->rank + r->size - 1) % r->size, after = (r->rank + 1) % r->size;
  struct hello h = {job_number(r), r->rank};
  g->self = all[r->rank].member;
  g->peer[RING_BEFORE] = all[before].member;
  g->peer[RING_AFTER] = all[after].member;
  g->socket[RING_AFTER] = call(&all[r->rank], &all[after]);
  if (g->socket[RING_AFTER] < 0 ||
      send(g->socket[RING_AFTER], &h, sizeof h, MSG_NOSIGNAL) != sizeof h) {
    snprintf(why, (size_t)size, "rank %d on %s cannot reach rank %d on %s: %s", r->rank,
             g->self.host, after, all[after].member.host, strerror(errno));
    return 0;
  }
  g->socket[RING_BEFORE] = answer(listener, h.job, before);
  if (g->socket[RING_BEFORE] >= 0) return 1;
  snprintf(why, (size_t)size, "rank %d on %s was not reached by rank %d on %s: %s", r->rank,
           g->self.host, before, all[before].member.host, strerror(errno));
  return 0;
}

int ring_open(struct ring *g, const struct ranks *r, char *why, int size)
{
  struct card mine, *all = alloc_array(r->size, sizeof *all);
  memset(g, 0, sizeof *g);
  g->socket[RING_BEFORE] = g->socket[RING_AFTER] = -1;
  card_fill(r, &mine);
  int listener = listener_open(&mine.port);
  snprintf(why, (size_t)size, "rank %d on %s cannot open a port: %s", r->rank, mine.member.host,
           strerror(errno));
  int good = ranks_agree(r, listener >= 0, why, size);
  MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, ranks_comm(r));
  if (good) good = ranks_agree(r, connect_both(g, r, all, listener, why, size), why, size);
  if (listener >= 0) close(listener);
  if (!good) ring_close(g);
  free(all);
  return good;
}

void ring_close(struct ring *g)
{
  for (int k = 0; k < RING_SIDES; k++) {
    if (g->socket[k] >= 0) close(g->socket[k]);
    g->socket[k] = -1;
  }
}
