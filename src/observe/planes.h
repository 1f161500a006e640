/* Profiles along z in equal bins of cz of the box, centred on the bilayer, for observables. */
#ifndef PLANES_H
#define PLANES_H

#include "observe/observable.h"

/* Reads the option bins (default 160), and adds a table of the name of the kind whose rows are the
   bins, from -edge/2 to edge/2. Returns their number. Errors go to the tree. */
int planes_open(struct observable *o, struct yaml_tree *t, int options);
/* For open, last: adds cz of the box to the values. */
void planes_add_edge(struct observable *o);
/* What the backend needs to add up bins (backend/profile.h). arrays: enum profile_arrays. */
struct profile planes_profile(const struct observe_system *a, const struct observe_frame *f,
                              int bins, unsigned arrays);
/* Adds the counts or sums of the owned beads to the words of the observable. */
void planes_collect(const struct observable *o, const struct observe_frame *f,
                    enum tally_quantity quantity, unsigned arrays, int64_t *word);

#endif
