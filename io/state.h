/* State file: a start and a checkpoint are the same format. HDF5, complete, readable on any number
   of ranks. Collective. */
#ifndef STATE_H
#define STATE_H

#include "model/system.h"
#include "mpi/comm/ranks.h"

/* Written as path.tmp, flushed, closed, read back and verified, renamed; an existing file becomes
   path.prev (checkpoints keep two generations). Nothing is lost when it fails: status 4. run_text
   is the effective input (may be NULL). Before anything is touched: status 3 where a box edge is
   not positive and finite, or a momentum not finite, for such a state could not be continued. */
void state_write(const struct ranks *r, const char *path, const struct system *s,
                 const char *run_text);
/* Why a state file cannot be used: it is not there; the system does not let it be read (permission,
   I/O error), which says nothing about the file; or it is damaged, of a newer format, or holds
   values that no simulation can go on from. */
enum state_trouble { STATE_USABLE, STATE_MISSING, STATE_UNUSABLE, STATE_WITHHELD };
struct state_refusal {
  int64_t trouble;  /* enum state_trouble; of several ranks the last of the list */
  char reason[512]; /* a clause without the name of the file */
};
/* Reads and checks everything: sizes before memory is taken, checksums, finite momenta, a box, a
   topology that fits. NULL, and why, where the file cannot be used; all ranks get the same answer.
 */
struct system *state_try(const struct ranks *r, const char *path, struct state_refusal *why);
/* The same, or status 4 with a message that names the file and what is wrong with it. */
struct system *state_read(const struct ranks *r, const char *path);

#endif
