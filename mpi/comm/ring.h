/* TCP connections of a rank to the rank before and the rank after it, beside MPI: for a thread that
   must be heard while the main thread sits in a call of MPI or CUDA, or MPI itself hangs. */
#ifndef RING_H
#define RING_H

#include "mpi/comm/ranks.h"

enum { RING_BEFORE, RING_AFTER, RING_SIDES };
enum { HOST_MOST = 64 };

/* Where a rank runs. */
struct ring_place {
  int rank, pid;
  char host[HOST_MOST];
};

struct ring {
  struct ring_place self, peer[RING_SIDES];
  int socket[RING_SIDES]; /* does not block */
};

/* Two ranks or more. 1 where every rank is connected to both; else 0, and rank 0 knows why.
   Collective. */
int ring_open(struct ring *g, const struct ranks *r, char *why, int size);
void ring_close(struct ring *g);

#endif
