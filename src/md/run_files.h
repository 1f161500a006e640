/* Checks that the files which a job continues belong to its run. */
#ifndef RUN_FILES_H
#define RUN_FILES_H

#include "md/sim.h"

/* Compares trajectory, PSF and energies of the prefix with the checkpoint from which the run goes
   on, before any of them is changed. Files of another run end the program with STATUS_INPUT;
   missing files, and those of earlier versions, which cannot be compared, are logged. Sets the
   identity of a run whose checkpoint has none. Collective. */
void run_files_check(struct sim *s);

/* For a job that has nothing to do: removes the temporary files that a killed job has left, and
   repairs the trajectory if it was left in the middle of a write. Collective. */
void run_files_clean(const struct ranks *r, const struct params *p, const struct system *y);

#endif
