/* The disk that the files of a run will take. */
#ifndef DISK_USE_H
#define DISK_USE_H

#include "md/sim.h"

/* Lists what frames, checkpoints, energies and results of the steps that are left will take, and
   what is free; warns if that is less. append: the files of an earlier job are continued.
   Collective. */
void disk_use_print(struct sim *s, int append, int replicas);

#endif
