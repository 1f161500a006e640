/* Of which run files are: the identity (run in struct system) that a trajectory and its PSF carry.
 */
#ifndef RUN_ID_H
#define RUN_ID_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* MISSING: no such file. UNREADABLE: a file that cannot be read as what it should be. UNKNOWN: it
   carries no identity, as those of earlier versions. */
enum run_id { RUN_ID_MISSING, RUN_ID_UNREADABLE, RUN_ID_UNKNOWN, RUN_ID_KNOWN };

/* Reads the identity of prefix.h5md, or of prefix.psf. id is empty unless it is known. Collective.
 */
enum run_id run_id_of_trajectory(const struct ranks *r, const char *prefix, char id[RUN_ID]);
enum run_id run_id_of_psf(const struct ranks *r, const char *prefix, char id[RUN_ID]);
/* Dies with STATUS_INPUT if the PSF of a trajectory that goes on has another number of beads than
   its frames. Collective. */
void run_id_require_beads(const struct ranks *r, const char *psf, int64_t beads);

#endif
