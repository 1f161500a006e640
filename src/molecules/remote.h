/* Values of beads that lie in the blocks of other ranks, asked for by id, and records that are sent
   to ranks. All functions but remote_free are collective. All memory is host memory. */
#ifndef REMOTE_H
#define REMOTE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* A list of ids, repetitions allowed, or of records, and what this rank must know to exchange their
   values. Written by molecules/remote.c. */
struct remote {
  const struct ranks *ranks; /* borrowed */
  int64_t n;                 /* entries of this rank's list */
  int64_t *order;            /* [n]; the index, in the list sorted by rank, of each */
  int64_t *send, *receive;   /* [ranks]; ids that this rank asks of each, and each of this rank */
  int64_t n_asked, *asked;   /* [n_asked]; beads of this block (rows from 0) that are asked
                                for; NULL: records */
};

/* Sends the ids to the ranks that hold them. id: copied. */
void remote_open(struct remote *m, const struct ranks *r, const struct system *s, const int64_t *id,
                 int64_t n);
/* A list of n records for ranks. Their order stays: they arrive in that of ranks, then as listed.
 */
void remote_to(struct remote *m, const struct ranks *r, const int *rank, int64_t n);
/* answer: a value of `bytes` for each of asked[]. Returns the values of the n ids of the list, in
   its order; the caller frees them. */
void *remote_fetch(const struct remote *m, const void *answer, size_t bytes);
/* value: of `bytes` for each of the n ids. Returns what arrives for asked[], in its order; the
   caller frees it. */
void *remote_push(const struct remote *m, const void *value, size_t bytes);
void remote_free(struct remote *m);

#endif
