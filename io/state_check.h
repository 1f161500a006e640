/* Is a file a complete state file? Errors go to the reader. Local. */
#ifndef STATE_CHECK_H
#define STATE_CHECK_H

#include "io/h5_read.h"

/* Checks that the file is a state file, of the version that this program reads, and was written to
   its end. */
void state_check_format(struct h5_reader *in);
/* Checks that all datasets exist with the sizes that follow from the number of beads. Returns that
   number, 0 after an error. */
int64_t state_check_sizes(struct h5_reader *in);
/* Reads everything but the beads, which verifies checksums. */
void state_check_small(struct h5_reader *in);
/* Reads everything, which verifies checksums. n: number of beads. */
void state_check_data(struct h5_reader *in, int64_t n);

#endif
