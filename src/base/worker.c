#include "base/worker.h"

#include <string.h>

#include "base/log.h"

static void *thread_main(void *argument)
{
  struct worker *w = argument;
  w->job(w->argument);
  return NULL;
}

static void wait_at_death(void *argument)
{
  struct worker *w = argument;
  if (pthread_equal(pthread_self(), w->main)) worker_wait(w);
}

void worker_open(struct worker *w)
{
  w->main = pthread_self();
  w->busy = 0;
  log_wait_at_death(wait_at_death, w);
}

void worker_start(struct worker *w, void (*job)(void *), void *argument)
{
  worker_wait(w);
  w->job = job;
  w->argument = argument;
  int error = pthread_create(&w->thread, NULL, thread_main, w);
  if (error)
    die(STATUS_INPUT, "no thread for writing files: %s; output.writer=none does without",
        strerror(error));
  w->busy = 1;
}

void worker_wait(struct worker *w)
{
  if (w->busy) pthread_join(w->thread, NULL);
  w->busy = 0;
}

void worker_close(struct worker *w)
{
  worker_wait(w);
  log_wait_at_death(NULL, NULL);
}
