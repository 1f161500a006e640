/* Which state a run starts from, and whether that goes on with the run whose files the prefix has.
 */
#ifndef START_H
#define START_H

#include "input/param.h"
#include "model/system.h"
#include "mpi/comm/ranks.h"

struct start {
  struct system *system;
  char *file;    /* it was read from */
  int continued; /* step, time, seed, counters and lists of the file are kept; else set anew */
  int append;    /* the files of the prefix belong to this run and go on; else they make room */
  int demoted;   /* PREFIX.checkpoint.h5 cannot be used, and .prev was taken */
};

/* Reads the state that restart, input and the checkpoints of the prefix lead to, compares it with
   the run file, and takes over the force field that this names. Nothing on the disk is changed.
   Status 2 where input is not what the run began from; status 4 where checkpoints exist and none
   can be used. What differs from the job before is said and goes to the history of the system.
   Collective. */
struct start start_choose(const struct ranks *r, const struct params *p);
/* Makes room: moves the files of an older run to a backup, a useless checkpoint aside. Rank 0 acts.
 */
void start_make_room(const struct ranks *r, const struct params *p, const struct start *t);
void start_free(struct start *t); /* not the system */

#endif
