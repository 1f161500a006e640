/* Several simulations in one job, each on its share of the ranks: copies of a run side by side
   (lamella run --replicas), or runs of several run files, of which each share does some one after
   the other. The functions are collective over all ranks. */
#ifndef REPLICAS_H
#define REPLICAS_H

#include "cli/options.h"
#include "input/stages.h"
#include "mpi/comm/heartbeat.h"

/* Written by cli/replicas.c. */
struct replicas {
  int asked;        /* 1: --replicas is given */
  int n, number;    /* how many side by side; which this rank belongs to, from 1 */
  int n_files;      /* run files; share `number` does number - 1, number - 1 + n, ... */
  struct ranks all; /* the ranks of all replicas, if n > 1 */
  struct heartbeat *heartbeat;
};

/* Reads --replicas; of several run files, as many are done side by side as divide the ranks. r
   becomes the ranks of one share. Status 2 if the number of ranks does not fit. */
void replicas_divide(struct replicas *e, struct ranks *r, const struct arguments *a);
/* Says, where there are several run files, that the k-th of them follows, from 0. */
void replicas_begin_file(const struct replicas *e, const struct ranks *r, const char *file, int k);
/* Gives the parameters of all stages the folder and the number of the replica, and base the folder.
   Status 2 if nothing in the run is random, so that all replicas would be one trajectory. */
void replicas_set(const struct replicas *e, const struct ranks *r, struct params *base,
                  const struct stages *s);
/* Opens the heartbeat that notices a lost rank of another replica while this one waits. */
void replicas_watch(struct replicas *e, const struct ranks *r, double timeout);
/* Prints what a dry run has found: the steps that are to do in the replica with most, and in how
   many; of run files, their sum. to_do: those of this share. */
void replicas_to_do(const struct replicas *e, const struct ranks *r, int64_t to_do);
/* Waits for all replicas. The exit status: the largest of all. */
int replicas_join(struct replicas *e, int status);

#endif
