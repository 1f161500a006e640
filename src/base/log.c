/* Messages and exit: see log.h. The rank and the function that ends all ranks are set once
   by log_open. */
#include "base/log.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
  int rank, size;
  char simulation[64]; /* in front of warnings and errors; "" in a job of one simulation */
  int is_quiet;        /* 1: info goes to the log file only */
  void (*abort_all)(int status);
  char remove_path[LOG_REMOVED][4096]; /* files removed at the end; "" for none */
  void (*wait)(void *);
  void *wait_argument;
  char path[4096]; /* log file; "" for none */
  char *early;     /* messages of rank 0 before the log file was opened */
  size_t early_bytes;
  int write_failed;
  atomic_int ending;
} log_state;

void log_open(int rank, int size, void (*abort_all)(int status))
{
  log_state.rank = rank;
  log_state.size = size;
  log_state.abort_all = abort_all;
}

void log_simulation(const char *name, int shows_info)
{
  snprintf(log_state.simulation, sizeof log_state.simulation, "%s", name);
  log_state.is_quiet = !shows_info;
}

int log_shows_info(void)
{
  return log_state.rank == 0 && !log_state.is_quiet;
}

/* Replaces one entry by another. */
static void replace_removed(const char *old, const char *now)
{
  for (int k = 0; k < LOG_REMOVED; k++)
    if (!strcmp(log_state.remove_path[k], old)) {
      snprintf(log_state.remove_path[k], sizeof log_state.remove_path[k], "%s", now);
      return;
    }
}

void log_remove_at_death(const char *path)
{
  replace_removed("", path);
}

void log_keep_at_death(const char *path)
{
  replace_removed(path, "");
}

void log_wait_at_death(void (*wait)(void *), void *argument)
{
  log_state.wait = wait;
  log_state.wait_argument = argument;
}

static void append_message(const char *prefix, const char *text);

static __attribute__((noreturn)) void end(enum status status)
{
  char last[64];
  snprintf(last, sizeof last, LOG_LAST_LINE " %d", (int)status);
  if (log_state.path[0]) append_message("", last);
  if (log_state.wait) log_state.wait(log_state.wait_argument);
  atomic_store(&log_state.ending, 0);
  for (int k = 0; k < LOG_REMOVED; k++)
    if (log_state.remove_path[k][0]) unlink(log_state.remove_path[k]);
  if (log_state.abort_all) log_state.abort_all((int)status);
  exit((int)status);
}

/* One write() per call, so that lines of several ranks do not mix. */
static void append_line(const char *text, size_t bytes)
{
  int file = open(log_state.path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
  ssize_t written = file >= 0 ? write(file, text, bytes) : -1;
  int good = written == (ssize_t)bytes;
  if (!good && written >= 0) errno = ENOSPC; /* the disk had room for a part */
  if (file >= 0) good &= close(file) == 0;
  if (!good && !log_state.write_failed)
    fprintf(stderr, "lamella: warning: cannot write '%s': %s\n", log_state.path, strerror(errno));
  log_state.write_failed |= !good;
}

/* Writes prefix and text to the log file: the time before the first line, blanks of the same width
   before the others. */
static void append_message(const char *prefix, const char *text)
{
  enum { STAMP = 22 };
  size_t size = strlen(prefix) + 1, at = STAMP;
  if (!log_state.path[0] && log_state.rank != 0) return;
  for (const char *c = text; *c; c++)
    size += *c == '\n' ? 1 + STAMP : 1;
  char *line = malloc(size + STAMP + 2);
  time_t now = time(NULL);
  struct tm utc;
  if (!line) return;
  strftime(line, STAMP + 1, "%Y-%m-%dT%H:%M:%SZ  ", gmtime_r(&now, &utc));
  for (const char *c = prefix; *c; c++)
    line[at++] = *c;
  for (const char *c = text; *c; c++) {
    line[at++] = *c;
    if (*c != '\n' || !c[1]) continue;
    memset(line + at, ' ', STAMP);
    at += STAMP;
  }
  line[at++] = '\n';
  if (log_state.path[0]) {
    append_line(line, at);
  } else {
    char *early = realloc(log_state.early, log_state.early_bytes + at);
    if (early) {
      memcpy(early + log_state.early_bytes, line, at);
      log_state.early = early;
      log_state.early_bytes += at;
    }
  }
  free(line);
}

void log_to_file(const char *path)
{
  snprintf(log_state.path, sizeof log_state.path, "%s", path ? path : "");
  if (path && log_state.early_bytes) append_line(log_state.early, log_state.early_bytes);
  free(log_state.early);
  log_state.early = NULL;
  log_state.early_bytes = 0;
}

void log_file_note(const char *format, ...)
{
  if (log_state.rank != 0) return;
  va_list args;
  va_start(args, format);
  char *text = text_vformat_safe(format, args, "\n\t");
  va_end(args);
  if (text) append_message("", text);
  free(text);
}

/* Writes a message to stderr, in one write so that messages of several ranks do not mix, and to the
   log file. */
static void print_message(const char *prefix, const char *format, va_list args)
{
  char *text = text_vformat_safe(format, args, "\n\t");
  const char *of = prefix[0] ? log_state.simulation : "";
  if (prefix[0] || !log_state.is_quiet) {
    fprintf(stderr, "%s%s%s%s\n", of, of[0] ? ": " : "", prefix, text ? text : format);
    fflush(stderr);
  }
  if (text) append_message(prefix, text);
  free(text);
}

void info(const char *format, ...)
{
  if (log_state.rank != 0) return;
  va_list args;
  va_start(args, format);
  print_message("", format, args);
  va_end(args);
}

void warn(const char *format, ...)
{
  if (log_state.rank != 0) return;
  va_list args;
  va_start(args, format);
  print_message("lamella: warning: ", format, args);
  va_end(args);
}

int log_is_ending(void)
{
  return atomic_load(&log_state.ending);
}

void die(enum status status, const char *format, ...)
{
  atomic_store(&log_state.ending, 1);
  char prefix[64] = "lamella: ";
  if ((status == STATUS_NUMERIC || status == STATUS_IO) && log_state.size > 1)
    snprintf(prefix, sizeof prefix, "lamella: rank %d: ", log_state.rank);
  fflush(stdout);
  va_list args;
  va_start(args, format);
  print_message(prefix, format, args);
  va_end(args);
  end(status);
}

void die_all(enum status status, const char *format, ...)
{
  /* If rank 0 found the same error it ends this rank much earlier, but it may first have files to
     finish. Signals only interrupt the sleep. */
  enum { WAIT_SECONDS = 60 }; /* s */
  atomic_store(&log_state.ending, 1);
  if (log_state.rank != 0 && log_state.wait) log_state.wait(log_state.wait_argument);
  for (unsigned left = log_state.rank != 0 ? WAIT_SECONDS : 0; left > 0;)
    left = sleep(left);
  fflush(stdout);
  va_list args;
  va_start(args, format);
  print_message("lamella: ", format, args);
  va_end(args);
  end(status);
}

/* The alarm ends the program if writing to stderr or to the file blocks. */
void die_now(enum status status, const char *text)
{
  enum { WAIT_SECONDS = 5 }; /* s */
  struct pollfd out = {STDERR_FILENO, POLLOUT, 0};
  char line[1024];
  signal(SIGALRM, SIG_DFL);
  alarm(WAIT_SECONDS);
  if (text && poll(&out, 1, 1000) == 1) {
    int n = snprintf(line, sizeof line, "lamella: %s\n", text);
    if (write(STDERR_FILENO, line, n < (int)sizeof line ? (size_t)n : sizeof line) < 0) text = NULL;
  }
  if (log_state.path[0] && (text || log_state.rank == 0)) {
    snprintf(line, sizeof line, "%s%s" LOG_LAST_LINE " %d", text ? text : "", text ? "\n" : "",
             (int)status);
    append_message(text ? "lamella: " : "", line);
  }
  _exit((int)status);
}
