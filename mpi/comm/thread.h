/* Threads beside the main thread. */
#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* Starts a thread that blocks all signals, so that the main thread receives them. 0 or an errno.
   Local. */
static inline int thread_start(pthread_t *thread, void *(*function)(void *), void *argument)
{
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(thread, NULL, function, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return error;
}

#endif
