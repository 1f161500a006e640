/* Values of observables in the frames of a trajectory. TRAJECTORY_OBSERVED_NAMES has the names, a
   line each. The group of an observable holds `value` [frame][values] (double), links to the step
   and time of the positions, and two texts: `options` and `columns` (see struct
   trajectory_observed). The checksum of all values of a frame is CHECKSUM_OBSERVED. Values in
   memory are those of one observable after the other, in the order of the list. */
#ifndef TRAJECTORY_OBSERVED_H
#define TRAJECTORY_OBSERVED_H

#include "io/h5_read.h"
#include "io/h5md/layout.h"
#include "mpi/comm/ranks.h"

/* Lists. Local, but broadcast. */

int64_t trajectory_observed_count(const struct trajectory_observed_list *l); /* of all values */
void trajectory_observed_copy(const struct trajectory_observed_list *from,
                              struct trajectory_observed_list *to);
void trajectory_observed_free(struct trajectory_observed_list *l);
/* Replaces the list by that of rank 0. Collective. */
void trajectory_observed_broadcast(const struct ranks *r, struct trajectory_observed_list *l);
/* Where each value of the file is among the values of the run; -1: not there. The caller frees the
   array. */
int64_t *trajectory_observed_places(const struct trajectory_observed_list *file,
                                    const struct trajectory_observed_list *run);
/* Warns on rank 0 where the run has more or fewer observables than the file. Dies with STATUS_INPUT
   if one has the name, but not the options or columns of the one in the file. Collective. */
void trajectory_observed_agree(const char *path, const struct trajectory_observed_list *file,
                               const struct trajectory_observed_list *run);

/* Writing. Collective. */

/* Creates the groups, and sets series[] to the datasets of values. Step and time exist. */
void trajectory_observed_create(const struct h5_file *f, const struct trajectory_observed_list *l,
                                struct h5_series *series);
/* Opens the datasets of values. */
void trajectory_observed_open(const struct h5_file *f, const struct trajectory_observed_list *l,
                              struct h5_series *series);
/* Appends a frame, whose values rank 0 has, and returns this rank's part of their checksum. */
uint64_t trajectory_observed_append(const struct h5_file *f,
                                    const struct trajectory_observed_list *l,
                                    const struct h5_series *series, int64_t frame,
                                    const double *value);

/* Reading. Local; errors go to the reader. */

/* The path of "value", "options" or "columns". */
const char *trajectory_observed_path(const struct trajectory_observed *o, const char *dataset,
                                     char path[96]);
/* Reads the list. rows: receives the frames that each dataset has, an array that the caller
   frees. */
void trajectory_observed_scan(struct h5_reader *in, struct trajectory_observed_list *l,
                              int64_t **rows);
/* Reads the values of a frame, and compares their checksum with the one in the file. value: NULL,
   or receives them. */
void trajectory_observed_check(struct h5_reader *in, const struct trajectory_observed_list *l,
                               int64_t frame, double *value);

#endif
