#include "md/stop.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"

/* Seconds between two SIGTERM of which the second ends the program at once; the same while a file
   is written. */
enum { PATIENCE = 5, WRITING_PATIENCE = 60 };

/* Set by the handler: a stop is requested. Read by it: this rank prints; the steps have begun; a
   file is being written; the steps are over. */
static volatile sig_atomic_t requested, prints, stepping, writing, ends;
static volatile sig_atomic_t terms; /* SIGTERM, each PATIENCE after the one before */
static volatile sig_atomic_t first_term, last_term; /* of these: s of the monotonic clock */

/* 1 for a SIGTERM that ends the program at once: the second; while a file is written, or after the
   last step, the third, or a second one WRITING_PATIENCE after the first. One within PATIENCE of
   the previous one does not count, as launchers may send it twice. */
static int is_impatient(int number)
{
  struct timespec now;
  if (number != SIGTERM || clock_gettime(CLOCK_MONOTONIC, &now)) return 0;
  int seconds = (int)(now.tv_sec & 0x3fffffff);
  if (terms && seconds - last_term < PATIENCE) return 0;
  if (!terms) first_term = seconds;
  last_term = seconds;
  terms = terms < 3 ? terms + 1 : 3;
  if (!writing && !ends) return terms > 1;
  return terms > 2 || (terms > 1 && seconds - first_term >= WRITING_PATIENCE);
}

/* SIGTERM prints nothing, as launchers send it to the ranks that survive one that died. Before the
   first step there is nothing to save, and the program ends at once. */
static void handle(int number)
{
  static const char message[] = "\nlamella: stopping soon, with a checkpoint\n";
  if (!stepping && number != SIGUSR1) _exit(STATUS_STOPPED);
  if (number == SIGINT && requested) _exit(128 + SIGINT);
  if (is_impatient(number)) _exit(128 + SIGTERM);
  if (!requested && prints && number != SIGTERM &&
      write(STDERR_FILENO, message, sizeof message - 1) < 0)
    prints = 0;
  requested = 1;
}

void stop_install(const struct ranks *r)
{
  static const int numbers[] = {SIGTERM, SIGINT, SIGUSR1};
  struct sigaction action;
  prints = r->rank == 0;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
    sigaction(numbers[k], &action, NULL);
}

void stop_clock_begin(struct stop_clock *c)
{
  *c = (struct stop_clock){.started = c->started > 0 ? c->started : ranks_time()};
}

void stop_await_steps(void)
{
  stepping = 1;
  ends = 0;
}

void stop_writing(int yes)
{
  writing = yes;
}

void stop_run_ends(void)
{
  ends = 1;
}

/* The slowest rank determines how many steps fit into the interval. */
int stop_requested(const struct ranks *r, struct stop_clock *c, int64_t step, double hours)
{
  enum { EVERY_MOST = 10 };
  const double interval = 0.2; /* s */
  if (c->every > 0 && step < c->step + c->every) return 0;
  double now = ranks_time();
  /* Whether to stop, and nanoseconds a step: the maxima over ranks. */
  int64_t most[2] = {requested || (hours > 0 && now - c->started > 3600 * hours), 0};
  if (c->every > 0) most[1] = (int64_t)(1e9 * (now - c->seconds) / (double)(step - c->step));
  ranks_max_int64(r, most, 2);
  int64_t fit = most[1] > 0 ? (int64_t)(1e9 * interval) / most[1] : 1;
  c->every = fit < 1 ? 1 : fit > EVERY_MOST ? EVERY_MOST : fit;
  c->step = step;
  c->seconds = now;
  return most[0] != 0;
}
