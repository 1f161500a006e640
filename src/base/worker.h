/* A thread that does one job at a time while the main thread continues. Only the main thread may
   call these functions. From worker_start until worker_wait returns, the data that the job was
   given belong to the job. */
#ifndef WORKER_H
#define WORKER_H

#include <pthread.h>

/* Written by base/worker.c. */
struct worker {
  pthread_t main, thread;
  int busy;
  void (*job)(void *);
  void *argument;
};

/* Also registers the worker with log_wait_at_death: a program that dies first finishes the job,
   unless the job itself fails. */
void worker_open(struct worker *w);
/* Starts a job, after waiting for the one before. */
void worker_start(struct worker *w, void (*job)(void *), void *argument);
void worker_wait(struct worker *w);
void worker_close(struct worker *w);

#endif
