/* Which stages of a run file (input/stages.h) are done, and whether what is there is one chain:
   each checkpoint began from the last state of the stage before. All functions are collective. */
#ifndef MD_STAGE_H
#define MD_STAGE_H

#include "input/stages.h"
#include "md/sim.h"

/* The first stage that is not done; the number of stages: all are. A stage is done if its
   checkpoint stands at its last step, or is minimised. Reads the files of all stages before and
   changes none. Of restart: never it is the first stage; of a state file the stage that the file
   belongs to, and the stages after it begin anew. Status 2 if files and list are no chain: a
   checkpoint did not begin from the one before, a stage that is done has other keys now, or
   forces read other contents of files, or one that is not done has files of later stages. */
int stage_first(struct ranks *r, struct stages *s);
/* Compares the keys of the stages from k on with the system from which stage k starts, and lists
   the stages. dry: of a dry run the number of replicas: also lists what they take of the disk; else
   0. Status 2 for mistakes. */
void stage_check(struct ranks *r, const struct stages *s, int k, const struct system *y, int dry);
/* For a stage that is done: removes temporary files that a killed job has left, and writes results
   that are missing. */
void stage_tidy(const struct ranks *r, const struct params *p);
/* The steps that a stage has, of which `done` are done. Local. */
int64_t stage_steps(const struct params *p, int64_t done);

#endif
