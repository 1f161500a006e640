/* What a run costs: time, memory and disk. */
#ifndef PERFORMANCE_H
#define PERFORMANCE_H

#include "md/sim.h"

/* Reports a run of so many steps that took so many seconds of wall time: rates, time by phase,
   balance and memory, in the log and as JSON in PREFIX.performance.json. Collective. */
void performance_report(struct sim *s, int64_t steps, double seconds);
/* Lists the memory of the backend of rank 0 by purpose, in the log. Collective. */
void performance_memory(struct sim *s);
/* Lists what frames, checkpoints, energies and results of the steps that are left will take, and
   what is free; warns if that is less. append: the files of an earlier job are continued.
   Collective. */
void performance_disk(struct sim *s, int append, int replicas);

#endif
