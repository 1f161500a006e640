/* The files of earlier jobs that a job continues: are they of its run? */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include "md/sim.h"

/* Compares trajectory, PSF and energies of the prefix with the checkpoint from which the run goes
   on, before any of them is changed. Those of another run end the program with STATUS_INPUT,
   missing ones are said, and so are those that cannot be compared, because an earlier version wrote
   them. Sets the identity of a run whose checkpoint has none. Collective. */
void run_files_check(struct sim *s);

/* For a job that has nothing to do: removes the temporary files that a killed job has left, and
   repairs the trajectory if it was left in the middle of a write. Collective. */
void run_files_clean(const struct ranks *r, const struct params *p, const struct system *y);

#endif
