#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t asked, speaks;

/* SIGTERM goes without a word: launchers send it to the ranks that outlive one that died. */
static void handle(int number)
{
  static const char said[] = "\nlamella: stopping soon, with a checkpoint\n";
  if (number == SIGINT && asked) _exit(128 + SIGINT);
  if (!asked && speaks && number != SIGTERM && write(STDERR_FILENO, said, sizeof said - 1) < 0)
    speaks = 0;
  asked = 1;
}

void stop_install(const struct ranks *r)
{
  static const int numbers[] = {SIGTERM, SIGINT, SIGUSR1};
  struct sigaction action;
  speaks = r->rank == 0;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
    sigaction(numbers[k], &action, NULL);
}

int stop_wanted(const struct ranks *r, double started, double hours)
{
  int64_t stop = asked || (hours > 0 && ranks_time() - started > 3600 * hours);
  ranks_max_int64(r, &stop, 1);
  return (int)stop;
}
