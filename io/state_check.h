/* Is a file a whole state file? Mistakes go to the reader. Local. */
#ifndef STATE_CHECK_H
#define STATE_CHECK_H

#include "io/h5_read.h"

/* Of the format; 0 where there is none. */
int state_version(struct h5_reader *in);
/* Ours, of a version that this program reads, and written to its end. */
void state_check_format(struct h5_reader *in);
/* Every dataset is there and has the sizes that the number of beads demands; returns that, 0 after
   a mistake. */
int64_t state_check_sizes(struct h5_reader *in);
/* Everything but the beads can be read. */
void state_check_small(struct h5_reader *in);
/* All of it can be read, so checksums are right; n beads. */
void state_check_data(struct h5_reader *in, int64_t n);

#endif
