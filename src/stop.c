#include "stop.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

static void handle(int number)
{
  static const char said[] = "\nlamella: stopping after this step with a checkpoint\n";
  if (number == SIGINT && asked) _exit(128 + SIGINT);
  if (!asked && write(STDERR_FILENO, said, sizeof said - 1) < 0) asked = 1;
  asked = 1;
}

void stop_install(void)
{
  static const int numbers[] = {SIGTERM, SIGINT, SIGUSR1};
  struct sigaction action;
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
