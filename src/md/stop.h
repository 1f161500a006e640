/* Stopping early: signals and the wall-clock limit, agreed by all ranks. */
#ifndef STOP_H
#define STOP_H

#include "mpi/comm/ranks.h"

/* SIGTERM, SIGINT and SIGUSR1 ask for a stop with a checkpoint. Until stop_await_steps is called,
   SIGTERM and SIGINT end the program at once with status 99: nothing is to be saved yet, and a
   set-up that hangs must end, too. Later a second SIGINT does, and a second SIGTERM after five
   seconds; but while a frame or checkpoint is written, or the run comes to its end, a third
   SIGTERM, five seconds after the second, or a second one after a minute. */
void stop_install(const struct ranks *r);
void stop_await_steps(void);
/* A frame or checkpoint is being written (1), or no longer (0). From one thread at a time. */
void stop_writing(int yes);
/* The steps are over: what is left is the last checkpoint and the end of the files. */
void stop_run_ends(void);

/* When ranks last asked each other. All zero at first. */
struct stop_clock {
  int64_t step, every; /* of the last time; steps until the next */
  double seconds;      /* of the last time */
};

/* 1 when any rank was asked to stop or the limit (hours since started, 0: none) is over; 0 too
   where it is not yet time to ask: about five times a second, in steps that all ranks count alike,
   ten at most. Collective. */
int stop_wanted(const struct ranks *r, struct stop_clock *c, int64_t step, double started,
                double hours);

#endif
