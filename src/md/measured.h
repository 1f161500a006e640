/* The observables of the run file (observe/observable.h) and what they have accumulated: created,
   continued from a state, kept in checkpoints and written as results. observers.h takes their
   samples. Unless a comment says otherwise, m may be NULL: there are no observables. */
#ifndef MEASURED_H
#define MEASURED_H

#include "input/param.h"
#include "io/h5md/layout.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"
#include "observe/observable.h"

/* Written by md/measured.c. What observables accumulate, they write themselves. */
struct measured {
  struct observe_system about;
  struct observable *observable; /* [n] */
  int n;
};

/* Creates the observables of the run file, and continues those of the state. All mistakes in the
   list are reported together, with status 2. NULL: there are none. Borrows the lipids. Collective.
 */
struct measured *measured_create(const struct ranks *r, const struct params *p, struct system *y,
                                 const struct lipids *lipids);
void measured_destroy(struct measured *m);
/* Warns of observables that take no sample, or a single one, in the steps of the run. Local. */
void measured_warn_unused(const struct measured *m, const struct params *p);
/* For frames of a trajectory, which have no angular momenta: temperatures of rotation become NaN.
   Local. */
void measured_without_rotation(struct measured *m);

/* The observables whose values the frames of the trajectory hold (option `frames`), to be freed
   with trajectory_observed_free. Local. */
void measured_frames_list(const struct measured *m, struct trajectory_observed_list *list);
/* Rank 0. Copies the values of their last samples, one observable after the other, as
   trajectory_write takes them. */
void measured_frames_values(const struct measured *m, double *value);

/* Copies what the observables have accumulated into a record, for a checkpoint. Collective. */
void measured_save(const struct measured *m, const struct ranks *r, struct run_record *to);
/* Writes the files of results of a prefix from such a copy. Uses only what does not change during a
   run, so that another thread may call it. Collective over r. */
void measured_write(const struct measured *m, const struct ranks *r, const char *prefix,
                    const struct run_record *saved);
/* Approximate size of the result files, bytes. Local. */
double measured_results_bytes(const struct measured *m);
/* For a complete run: writes the result files again, from what its state has accumulated, if they
   are missing or of other samples, as after a kill between the last checkpoint and the results.
   Collective. */
void measured_write_again(const struct ranks *r, const char *prefix, struct system *y);
/* For a continued run: if the checkpoint has an observable that the run file leaves out, copies the
   result file before it is replaced. Status 4 if that fails. Collective. */
void measured_keep_results(const struct measured *m, const struct ranks *r, const char *prefix,
                           struct system *y);

#endif
