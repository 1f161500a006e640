/* Early stops, by a signal or the wall-clock limit, on which all ranks agree. */
#ifndef STOP_H
#define STOP_H

#include "mpi/comm/ranks.h"

/* Installs handlers: SIGTERM, SIGINT and SIGUSR1 request a stop with a checkpoint. Before
   stop_await_steps is called, SIGTERM and SIGINT end the program at once with status 99, since
   there is nothing to save and a hanging set-up must be possible to end. Later the program ends at
   once at a second SIGINT, or at a second SIGTERM at least 5 s after the first. While a file is
   written, and after stop_run_ends, it ends at a third SIGTERM 5 s after the second, or at a second
   one after 60 s. Local. */
void stop_install(const struct ranks *r);
/* Steps begin: a signal is now a request. Local. */
void stop_await_steps(void);
/* A frame or checkpoint is being written (1), or no longer (0). Call it from one thread at a time.
   Local. */
void stop_writing(int yes);
/* The steps are over; the last checkpoint and the end of the files are left, and maybe another
   stage. Local. */
void stop_run_ends(void);

/* When the work of a job began, and when the ranks last agreed whether to stop. All zero at first.
   Written by md/stop.c. */
struct stop_clock {
  double started;      /* ranks_time() */
  int64_t step, every; /* step of the last reduction; steps until the next one */
  double seconds;      /* time of the last reduction */
};

/* A stage begins: its steps count anew. The first of a job sets the time started. Local. */
void stop_clock_begin(struct stop_clock *c);
/* 1 if any rank was asked to stop, or if the limit (hours since the job started; 0: none) is over.
   The reduction over ranks takes place about five times a second, and at least every ten calls that
   are one step apart; between two reductions the result is 0. Call it with the same steps on all
   ranks. Collective. */
int stop_requested(const struct ranks *r, struct stop_clock *c, int64_t step, double hours);

#endif
