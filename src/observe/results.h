/* Files of results: PREFIX.observables.h5 and, for each table, PREFIX.NAME.TABLE.csv. */
#ifndef OBSERVE_RESULTS_H
#define OBSERVE_RESULTS_H

#include "observe/observable.h"

/* Results of an observable from what observable_save gave: values, errors and autocorrelation times
   (ps; NaN where unknown), each [o->results]. Rank 0; o is not changed, and may be in use by
   another thread. */
struct observe_results {
  int64_t samples, first_step, last_step;
  double flat; /* the part of the samples in which the lipids were a flat bilayer */
  double *value, *error, *time;
  int *rows; /* [tables]: without the last ones, in which no column has a value */
};
void observe_results_of(const struct observable *o, const double *saved, int64_t n,
                        struct observe_results *out);
void observe_results_free(struct observe_results *r);

/* Dies with STATUS_INPUT unless the tables of n observables can be written (path_check_text).
   Collective. */
void observe_results_check(const struct ranks *r, const char *prefix, const struct observable *o,
                           int n);
/* Writes the files of n observables as temporary ones and, when all are complete, renames them: the
   HDF5 file last. saved[k], length[k]: what observable_save gave (read on rank 0). run: identity of
   the run (struct system). Collective; status 4 if it fails, and then no name has changed. */
void observe_results_write(const struct ranks *r, const char *prefix, const char *run,
                           const struct observable *o, int n, double *const *saved,
                           const int64_t *length);
/* Copies the HDF5 file to PREFIX.until_STEP.observables.h5. Collective; status 4 if it fails. */
void observe_results_copy(const struct ranks *r, const char *prefix, int64_t step);
/* 1 if the files are there and are of this run and of the samples that the observables have.
   Collective. */
int observe_results_are_current(const struct ranks *r, const char *prefix, const char *run,
                                const struct observable *o, int n);

#endif
