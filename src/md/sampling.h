/* Measures the observables of the run file (observe/observable.h): an observer of observers.c. */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "io/trajectory_layout.h"
#include "md/observer.h"
#include "md/sim.h"
#include "observe/observable.h"

extern const struct observer sampling_observer;

/* Creates the observables of the run file, and continues those of the state. All mistakes in the
   list are reported together, with status 2. Sets s->sampling, NULL if there are none. Collective.
 */
void sampling_create(struct sim *s);
void sampling_destroy(struct sim *s);
/* Warns of observables that take no sample, or a single one, in the steps of the run. Local. */
void sampling_warn_unused(const struct sim *s);
/* 1 if an observable that is due at a step needs something: a bit of enum observe_needs. Local. */
int sampling_needs(const struct sim *s, int64_t step, unsigned need);
/* Something that any of the observables needs. Local. */
unsigned sampling_all_needs(const struct sim *s);
/* The name of the first observable that needs any of these. Local. */
const char *sampling_who_needs(const struct sim *s, unsigned need);
/* The list of observables for a system if none is given: those that need positions and orientations
   only. Local. */
const char *sampling_standard(int64_t lipids);

/* Takes the samples that are due at the present state. If any needs energies, they must have been
   computed. Collective. */
void sampling_now(struct sim *s);
/* Takes the deferred samples, those of an earlier step whose sums are known, if the present step is
   at least so many steps later. Asynchronous backends compute while it does. Local. */
void sampling_take_deferred(const struct sim *s, int64_t steps);
/* For frames of a trajectory, which are so many steps apart: an observable takes samples at the
   steps that are multiples of its `every` and of this. Returns 0 if an observable has none of the
   n steps. Local. */
int sampling_set_interval(struct sim *s, int64_t steps, int64_t n, const int64_t *step);
/* The first observable that needs equal intervals between its frames and does not have them; NULL:
   none. Local. */
const char *sampling_who_is_uneven(const struct sim *s, int64_t n, const int64_t *step,
                                   const double *time);
/* For frames, which have no angular momenta: temperatures of rotation become NaN. Local. */
void sampling_without_rotation(struct sim *s);

/* The observables whose values the frames of the trajectory hold (option `frames`), to be freed
   with trajectory_observed_free. Local. */
void sampling_frames_list(const struct sim *s, struct trajectory_observed_list *list);
/* Rank 0. Copies the values of their last samples, one observable after the other, as
   trajectory_write takes them. */
void sampling_frames_values(const struct sim *s, double *value);

/* Copies what the observables have accumulated into a record, for a checkpoint. Collective. */
void sampling_save(const struct sim *s, struct run_record *to);
/* Writes the files of results from such a copy. Uses only what does not change during a run, so
   that another thread may call it. Collective over r. */
void sampling_write(const struct sim *s, const struct ranks *r, const struct run_record *saved);
/* About the bytes of the files of results. Local. */
double sampling_results_bytes(const struct sim *s);
/* For a run that is complete: writes the files of results again from what the observables of its
   state have accumulated if they are missing or of other samples, as after a kill between the last
   checkpoint and the results. p: the prefix. Collective. */
void sampling_write_again(struct ranks *r, const struct params *p, struct system *y);
/* Of a run that goes on from a checkpoint: if that has an observable that is not in the list,
   copies the file of results, which later ones replace. Collective; status 4 if it fails. */
void sampling_keep_results(struct sim *s);

#endif
