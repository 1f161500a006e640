/* Replicas: copies of a run side by side in one job, each on its share of the ranks. */
#ifndef REPLICAS_H
#define REPLICAS_H

#include "cli/options.h"
#include "input/param.h"
#include "mpi/comm/heartbeat.h"
#include "mpi/comm/ranks.h"

/* Written by cli/replicas.c. */
struct replicas {
  int asked;        /* 1: --replicas is given */
  int n, number;    /* how many; which this rank belongs to, from 1 */
  struct ranks all; /* the ranks of all replicas, if n > 1 */
  struct heartbeat *heartbeat;
};

/* Reads --replicas. r becomes the ranks of one replica. Status 2 if the number of ranks does not
   fit. Collective. */
void replicas_divide(struct replicas *e, struct ranks *r, const struct arguments *a);
/* Gives the parameters the prefix and the number of the replica. Status 2 if nothing in the run is
   random, so that all replicas would be one trajectory. Collective over all ranks. */
void replicas_set(struct replicas *e, const struct ranks *r, struct params *p);
/* From here on the job ends with status 5 when a rank of another replica is lost while this one
   waits, as it does at the end. seconds: parallel.timeout. Collective over all ranks. */
void replicas_watch(struct replicas *e, const struct ranks *r, double seconds);
/* Prints what a dry run has found: the steps that are to do in the replica with most, and in how
   many. to_do: those of this one. Collective over all ranks. */
void replicas_to_do(const struct replicas *e, const struct ranks *r, int64_t to_do);
/* Waits for all replicas. The exit status: the largest of all. Collective over all ranks. */
int replicas_join(struct replicas *e, int status);

#endif
