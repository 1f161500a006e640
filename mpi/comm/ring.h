/* TCP connections of a rank to the rank before and the rank after it, independent of MPI: for the
   heartbeat, which must work while the main thread is inside MPI or CUDA, and if MPI hangs. */
#ifndef RING_H
#define RING_H

#include "mpi/comm/ranks.h"

enum { RING_BEFORE, RING_AFTER, RING_SIDES };
enum { HOST_MOST = 64 };

/* A rank, and where it runs. */
struct ring_member {
  int rank, pid;
  char host[HOST_MOST];
};

struct ring {
  struct ring_member self, peer[RING_SIDES];
  int socket[RING_SIDES]; /* non-blocking */
};

/* Connects the ring of two or more ranks. 1 if every rank is connected to both neighbours; else 0,
   with the reason in why[size] on rank 0. Collective. */
int ring_open(struct ring *g, const struct ranks *r, char *why, int size);
void ring_close(struct ring *g);
/* A clock that does not go back, s. Without MPI. Local. */
double ring_time(void);

#endif
