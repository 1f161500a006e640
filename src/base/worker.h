/* A thread that does one job while the main thread goes on. Everything here is for the main thread
   to call, and the job is alone with what it was given until worker_wait returns. */
#ifndef WORKER_H
#define WORKER_H

#include <pthread.h>

struct worker {
  pthread_t main, thread;
  int busy;
  void (*job)(void *);
  void *argument;
};

/* A program that dies finishes the job first, unless that is what fails. */
void worker_open(struct worker *w);
/* Waits for the job before, if there is one. */
void worker_start(struct worker *w, void (*job)(void *), void *argument);
void worker_wait(struct worker *w);
void worker_close(struct worker *w);
/* How many processors this process may use: with one, a thread only gets in the way. */
int worker_processors(void);

#endif
