/* Is a file a complete state file, and can a simulation go on from its values? Errors go to the
   reader with their place. Local. */
#ifndef STATE_CHECK_H
#define STATE_CHECK_H

#include "io/h5_read.h"
#include "model/system.h"

/* Checks that the file is a state file, of the version that this program reads, and was written to
   its end. */
void state_check_format(struct h5_reader *in);
/* Checks that all datasets exist with the sizes that follow from the number of beads. Returns that
   number, 0 after an error. */
int64_t state_check_sizes(struct h5_reader *in);
/* Reads everything but the beads, which verifies checksums. n: number of beads. */
void state_check_small(struct h5_reader *in, int64_t n);
/* Reads everything, which verifies checksums. n: number of beads. */
void state_check_data(struct h5_reader *in, int64_t n);

/* Reads what observables have accumulated, the numbers on rank 0 only, and what forces keep. */
void state_accumulated_read(struct h5_reader *in, const struct ranks *r, struct run_record *run);

/* Reads and checks the beads of selections. n: number of beads. */
void state_kept_read(struct h5_reader *in, int64_t n, struct run_record *run);

/* Reads and checks the system-wide numbers: box, step, time, counters, neighbour list. Needs s->ff.
 */
void state_values_items(struct h5_reader *in, struct system *s);
/* Checks the same numbers of a system in memory. */
void state_values_check(struct h5_reader *in, const struct system *s);
/* Checks bead k of the block: types, molecule, bonded environment, momenta, orientation. Needs
   s->topology. */
void state_values_bead(struct h5_reader *in, const struct system *s, int64_t k);

#endif
