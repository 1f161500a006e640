/* Profiles along z in equal bins of the box edge, centred on the bilayer, for observables. */
#ifndef PLANES_H
#define PLANES_H

#include "observe/observable.h"

/* Reads the option bins (default 160). Errors go to the tree. */
int planes_read_bins(struct observable *o, struct yaml_tree *t, int options);
/* What the backend needs to add up bins (backend/profile.h). arrays: enum profile_arrays. */
struct profile planes_profile(const struct observe_system *a, const struct observe_frame *f,
                              int bins, unsigned arrays);
/* Adds the counts or sums of the owned beads to word. */
void planes_collect(const struct observe_frame *f, enum tally_quantity quantity,
                    const struct profile *p, int words, int64_t *word);
/* Sets z[bins] to the middles of bins of an edge of this length, from -edge/2 to edge/2. */
void planes_axis(int bins, double edge, double *z);

#endif
