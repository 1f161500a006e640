/* Files of results: PREFIX.observables.h5 and, for each table, PREFIX.NAME.TABLE.csv. */
#ifndef OBSERVE_RESULTS_H
#define OBSERVE_RESULTS_H

#include "observe/observable.h"

/* Results of an observable from what observable_save gave: values, errors and autocorrelation times
   (ps; NaN where unknown), each [o->results]. Rank 0; o is not changed, and may be in use by
   another thread. Returns the number of samples. */
struct observe_results {
  int64_t samples, first_step, last_step;
  double *value, *error, *time;
  int *rows; /* [tables]: without the last ones, in which no column has a value */
};
void observe_results_of(const struct observable *o, const double *saved, int64_t n,
                        struct observe_results *out);
void observe_results_free(struct observe_results *r);

/* Writes the files of n observables beside, and then renames them. saved[k], length[k]: what
   observable_save gave (read on rank 0). Collective; status 4 if it fails. */
void observe_results_write(const struct ranks *r, const char *prefix, const struct observable *o,
                           int n, double *const *saved, const int64_t *length);

#endif
