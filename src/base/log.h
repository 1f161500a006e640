/* Messages, program exit with a status, and, in memory.h, memory. Messages go to stderr, results of
   commands to stdout. All functions are local to a rank. */
#ifndef LOG_H
#define LOG_H

#include "base/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Exit status; the manual lists them. */
enum status {
  STATUS_DONE = 0,
  STATUS_INPUT = 2,   /* wrong input, or not enough memory, processors or GPUs */
  STATUS_NUMERIC = 3, /* blow-up, lost beads, saturated sums */
  STATUS_IO = 4,      /* a file could not be read or written */
  STATUS_RANK = 5,    /* a rank, its host or its GPU has ended, stopped or hung */
  STATUS_STOPPED = 99 /* stopped early on request, ready to continue */
};

/* Call first. size: number of ranks; abort_all(status) ends all of them, NULL for a program without
   MPI. */
void log_open(int rank, int size, void (*abort_all)(int status));

/* Of several simulations in one job: the name of this one, with which its warnings and errors on
   stderr begin. shows_info 0: what info says goes to its log file only. */
void log_simulation(const char *name, int shows_info);
/* 1 if what info says here is written to stderr. */
int log_shows_info(void);

/* Names a file that is removed when this rank dies: the lock file of a job, on the rank that holds
   it, or an output that is being written. At most LOG_REMOVED at a time. */
enum { LOG_REMOVED = 4 };
void log_remove_at_death(const char *path);
/* The opposite, for a file that is finished or gone. */
void log_keep_at_death(const char *path);

/* Registers a function that is called before the program dies, by the thread that dies: it waits
   for files being written. NULL: none. */
void log_wait_at_death(void (*wait)(void *), void *argument);

/* Appends every message to this file too, each with its time (UTC). Messages that rank 0 wrote
   before this call come first. NULL: stop. A file that cannot be written is reported once. */
void log_to_file(const char *path);
/* Last line of a job in the log file; the status follows. */
#define LOG_LAST_LINE "the job ends with status"
/* Writes to the log file only. Ranks other than 0 write nothing. */
void log_file_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* To stderr and the log file. Ranks other than 0 print nothing. */
void info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Called by any rank: prints the message and ends all ranks with the status. The message says what
   is wrong, where, and what to do. With STATUS_NUMERIC and STATUS_IO the rank is added. */
__attribute__((noreturn, format(printf, 2, 3))) void die(enum status status, const char *format,
                                                         ...);

/* For an error that every rank has found: rank 0 prints it and ends all ranks; the others wait for
   that. */
__attribute__((noreturn, format(printf, 2, 3))) void die_all(enum status status, const char *format,
                                                             ...);

/* 1: this rank is dying, but still waits for files that are being written. Callable from any
   thread. */
int log_is_ending(void);

/* Ends this rank immediately: no waiting, no cleaning up. Callable from any thread. text, if not
   NULL, goes to stderr and to the log file, followed there by LOG_LAST_LINE and the status. Rank 0
   writes that line without a text too. */
__attribute__((noreturn)) void die_now(enum status status, const char *text);

#ifdef __cplusplus
}
#endif

#endif
