/* What the program says, and how it ends. Messages go to stderr; results of commands to stdout. */
#ifndef LOG_H
#define LOG_H

#ifdef __cplusplus
extern "C" {
#endif

/* Exit status; the manual lists them. */
enum status {
  STATUS_DONE = 0,
  STATUS_INPUT = 2,   /* wrong input, or a machine that does not suffice */
  STATUS_NUMERIC = 3, /* blow-up, lost beads, saturated sums */
  STATUS_IO = 4,      /* a file could not be read or written */
  STATUS_RANK = 5,    /* a rank, its host or its GPU has ended, stopped or hung */
  STATUS_STOPPED = 99 /* stopped early on request, ready to continue */
};

/* abort_all ends every rank with a status; NULL for a program of one rank. */
void log_open(int rank, void (*abort_all)(int status));

/* A file that goes when this rank dies: the lock of a job, on the rank that has it. NULL: none. */
void log_remove_at_death(const char *path);

/* What is waited for before the program dies; called by whichever thread it is that dies. NULL:
   nothing. */
void log_wait_at_death(void (*wait)(void *), void *argument);

/* From now on every message goes to the end of this file too, each line with its time; those that
   rank 0 has said before come first. NULL: no more. A file that cannot be written is said once. */
void log_keep(const char *path);
/* The last line of a job there, before its status. */
#define LOG_END "the job ends with status"
/* Into that file only; rank 0. */
void log_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Rank 0 only. */
void info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Any rank: prints the message and ends all ranks with the status. Says what, where and what to
   do. For status 3 and 4 the message carries the rank. */
__attribute__((noreturn, format(printf, 2, 3))) void die(enum status status, const char *format,
                                                         ...);

/* For a mistake that every rank has found: rank 0 reports it and ends all; the others wait for
   that. */
__attribute__((noreturn, format(printf, 2, 3))) void die_all(enum status status, const char *format,
                                                             ...);

/* Death with status 2 where so many bytes are more than this computer has: systems promise more
   memory than there is, and kill who uses it. */
void memory_need(double bytes, const char *what);

/* Has this rank died, but still waits for files that are being written? */
int log_is_ending(void);

/* Ends this rank at once, from any thread, whatever others hold: nothing is waited for, nothing
   tidied up. text goes to stderr and to the file of log_keep; NULL: none. LOG_END follows it in
   that file, or stands there alone where it is rank 0 that has no text. */
__attribute__((noreturn)) void log_end(enum status status, const char *text);

/* Zeroed memory, or death. count * size is checked for overflow; zero bytes are allowed. */
void *alloc_array(long long count, unsigned long size);
/* Grows (never shrinks) to hold count elements, keeping the contents. */
void *grow_array(void *old, long long count, unsigned long size);

#ifdef __cplusplus
}
#endif

#endif
