/* Runs something that has to end the program, in a child, and looks at its last words. */
#ifndef DEATH_H
#define DEATH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"

/* The exit status of the child; -1 where a signal ended it, 0 where it came back alive. */
static inline int death_of(void (*run)(void *), void *argument, char *message, size_t size)
{
  int ends[2], status;
  size_t n = 0;
  ssize_t got;
  fflush(NULL);
  if (pipe(ends) != 0) abort();
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    log_open(0, 1, _exit); /* without MPI_Finalize, which belongs to the parent */
    run(argument);
    _exit(0);
  }
  close(ends[1]);
  while (n + 1 < size && (got = read(ends[0], message + n, size - n - 1)) > 0)
    n += (size_t)got;
  message[n] = 0;
  close(ends[0]);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* 1 if it ends with the status and says the words; else 0, with what it said instead. */
static inline int dies_saying(void (*run)(void *), void *argument, int expected, const char *words)
{
  char message[8192];
  int status = death_of(run, argument, message, sizeof message);
  if (status == expected && strstr(message, words)) return 1;
  fprintf(stderr, "status %d, not %d, and not '%s' but: %s\n", status, expected, words, message);
  return 0;
}

#endif
