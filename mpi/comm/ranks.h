/* The ranks of the program and their collective operations. No MPI types in this header. All memory
   is host memory. Every function is collective unless its comment says otherwise, and returns when
   this rank's part is complete. An error of MPI ends the program. */
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
  /* Like local_rank and local_size, but counted over all groups of ranks_divide. */
  int on_node, node_size;
  /* The number of this node, and how many there are. For tests the environment variable
     LAMELLA_NODES divides the ranks into so many nodes; local_rank and local_size do not follow it.
   */
  int node, nodes;
  int groups;            /* of ranks_divide that are replicas of one run; else 1 */
  int gives_core;        /* wait.h: a waiting rank gives its core away, */
  const char *busy;      /* but this MPI keeps it busy in waits of its own; NULL: it does not */
  struct ranks_mpi *mpi; /* ranks_mpi.h */
};

/* Initialises MPI, and sets rank and abort function of base/log.h. */
void ranks_open(struct ranks *r, int *argc, char ***argv);
/* MPI_Finalize. Call it when all files are complete: if MPI_Finalize hangs, the program ends with
   the status. Returns the status with which the program then ends. */
int ranks_close(struct ranks *r, int status);
/* Divides the ranks of the program into groups of equal size, in their order. r becomes the ranks
   of one group, whose number (from 0) is returned. Status 2 if their number is no multiple of
   groups. Collective; once, before anything else uses r. */
int ranks_divide(struct ranks *r, int groups);
/* What the ranks 0 of all groups give, `bytes` bytes each, in the order of groups, on all ranks;
   all: [groups][bytes]. The others may come late: call it between steps, where a wait has no limit
   of time (heartbeat.h). Collective over all groups. */
void ranks_gather_groups(const struct ranks *r, const void *own, int bytes, void *all);
/* The least and the largest value of all groups, of their ranks 0, on all ranks. Collective over
   all groups, as above. */
struct groups_range {
  int64_t least, most;
};
struct groups_range ranks_range_of_groups(const struct ranks *r, int64_t value);
/* Addresses of communicators (MPI_Comm) for another library: of the ranks 0 of all groups, on these
   ranks, and of this rank alone. Local. */
const void *ranks_leaders(const struct ranks *r);
const void *ranks_self(const struct ranks *r);
/* All ranks of the program, in all groups. To be freed by ranks_copy_free. Collective over all. */
void ranks_all(struct ranks *r);
/* A barrier without busy waiting; returns the largest status. Collective. */
int ranks_join(const struct ranks *r, int status);
/* Duplicates the communicators (MPI_Comm_dup), for use by another thread: messages of the copy
   cannot be mistaken for messages of r. */
void ranks_copy(const struct ranks *r, struct ranks *copy);
void ranks_copy_free(struct ranks *copy);
/* 1 if several threads may call these functions at the same time, each with a copy of its own
   (MPI_THREAD_MULTIPLE). Local. */
int ranks_threads(const struct ranks *r);

void ranks_barrier(const struct ranks *r);
void ranks_sum_int64(const struct ranks *r, int64_t *value, int n); /* in place; modulo 2^64 */
void ranks_max_int64(const struct ranks *r, int64_t *value, int n);
void ranks_min_int64(const struct ranks *r, int64_t *value, int n);
void ranks_max_double(const struct ranks *r, double *value, int n);
void ranks_sum_double(const struct ranks *r, double *value,
                      int n); /* order not fixed: for timings only */
/* 1 if yes is 1 on every rank. Else 0, and on rank 0 why[size] becomes the reason of the first rank
   that gave 0. */
int ranks_agree(const struct ranks *r, int yes, char *why, int size);
/* From rank 0 to all. */
void ranks_broadcast(const struct ranks *r, void *data, int64_t bytes);
/* Exclusive prefix sum (MPI_Exscan): the sum of value over the ranks below this one; 0 on rank 0.
 */
int64_t ranks_before(const struct ranks *r, int64_t value);

/* A non-blocking reduction (MPI_Iallreduce), one at a time. Each rank gives two numbers, not
   negative; ranks_largest_finish waits and sets the two largest of all. */
void ranks_largest_start(const struct ranks *r, const double two[2]);
void ranks_largest_finish(const struct ranks *r, double two[2]);

/* As MPI_Alltoallv: sends send_count[k] records of `record` bytes to rank k; data has them in the
   order of ranks. Returns the received records in the order of ranks, in memory that the caller
   frees, and their number in *received; receive_count, unless NULL, gets the number from each rank.
   Sizes may exceed 2 GiB. */
void *ranks_exchange(const struct ranks *r, size_t record, const void *data,
                     const int64_t *send_count, int64_t *receive_count, int64_t *received);

/* Sends each of n ranks, which name each other, a record of `bytes` bytes, and receives one of it.
   Collective among them. */
void ranks_swap(const struct ranks *r, int n, const int *rank, const void *out, void *in,
                int bytes);
/* As MPI_Alltoall of one number: sends send[k] to rank k; receive[k] is what rank k sends. */
void ranks_counts(const struct ranks *r, const int64_t *send, int64_t *receive);
/* As ranks_exchange, with counts that both sides know. Not collective: only ranks that exchange
   records communicate. */
void *ranks_deliver(const struct ranks *r, size_t record, const void *data, const int64_t *send,
                    const int64_t *receive);

/* As MPI_Gatherv: the data of all ranks on rank 0, in the order of ranks; NULL elsewhere. total:
   bytes. The caller frees it. */
void *ranks_gather(const struct ranks *r, const void *data, int64_t bytes, int64_t *total);
/* As MPI_Allgatherv. */
void *ranks_allgather(const struct ranks *r, const void *data, int64_t bytes, int64_t *total);

double ranks_time(void); /* wall clock, s. Local */

#ifdef __cplusplus
}
#endif

#endif
