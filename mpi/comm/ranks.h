/* All ranks and what they do together. No MPI type in this header. Every function here is
   collective unless it says otherwise. */
#ifndef RANKS_H
#define RANKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ranks {
  int rank, size;
  int local_rank, local_size; /* on this node */
  struct ranks_mpi *mpi;      /* ranks_mpi.h */
};

/* Starts MPI, connects log.h. */
void ranks_open(struct ranks *r, int *argc, char ***argv);
void ranks_close(struct ranks *r);
/* The same ranks again, for another thread: nothing of theirs can meet what r sends. */
void ranks_copy(const struct ranks *r, struct ranks *copy);
void ranks_copy_free(struct ranks *copy);
/* May threads call these functions at the same time, each with ranks of its own? */
int ranks_threads(const struct ranks *r);

void ranks_barrier(const struct ranks *r);
void ranks_sum_int64(const struct ranks *r, int64_t *value, int n); /* in place; wraps */
void ranks_max_int64(const struct ranks *r, int64_t *value, int n);
void ranks_min_int64(const struct ranks *r, int64_t *value, int n);
void ranks_max_double(const struct ranks *r, double *value, int n);
void ranks_sum_double(const struct ranks *r, double *value,
                      int n); /* order not fixed: timing only */
/* 1 where every rank says yes (1). Else 0, and on rank 0 why becomes the reason of the first rank
   that says no. */
int ranks_agree(const struct ranks *r, int yes, char *why, int size);
/* From rank 0 to all. */
void ranks_broadcast(const struct ranks *r, void *data, int64_t bytes);
/* The sum of value over the ranks below this one. */
int64_t ranks_before(const struct ranks *r, int64_t value);

/* A maximum that travels while other work is done: one at a time. */
void ranks_max_start(struct ranks *r, double value);
double ranks_max_finish(struct ranks *r);

/* Every rank sends send_count[k] records of record bytes to rank k, lying in the order of ranks.
   Returns the records received, in the order of ranks, in memory that the caller frees, and their
   number; receive_count, where not NULL, gets the number from each. Any size. */
void *ranks_exchange(const struct ranks *r, size_t record, const void *data,
                     const int64_t *send_count, int64_t *receive_count, int64_t *received);

/* Sends send[k] to rank k; receive[k] is what that rank sends. */
void ranks_counts(const struct ranks *r, const int64_t *send, int64_t *receive);
/* As ranks_exchange, where both sides know the counts: only ranks with records between them take
   part. */
void *ranks_deliver(const struct ranks *r, size_t record, const void *data, const int64_t *send,
                    const int64_t *receive);

/* Everything of every rank on rank 0, in the order of ranks; NULL elsewhere. Caller frees. */
void *ranks_gather(const struct ranks *r, const void *data, int64_t bytes, int64_t *total);

double ranks_time(void); /* seconds, local */

#ifdef __cplusplus
}
#endif

#endif
