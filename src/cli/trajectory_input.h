/* Trajectories as inputs of commands: the state that belongs to one, and the options --first and
   --last. Local, the same on all ranks. */
#ifndef TRAJECTORY_INPUT_H
#define TRAJECTORY_INPUT_H

#include "cli/options.h"
#include "md/analyze.h"

/* The name of the trajectory without ".h5md", and a suffix. The caller frees it. */
char *trajectory_beside(const char *trajectory, const char *suffix);
/* The frames from --first to --last; default: all. Dies with status 2 if there are none. */
struct analyze_range trajectory_range(const struct arguments *a, const struct trajectory_reader *t);

#endif
