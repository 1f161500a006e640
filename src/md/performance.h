/* What a run cost: to the log, and as JSON to PREFIX.performance.json. */
#ifndef PERFORMANCE_H
#define PERFORMANCE_H

#include "md/sim.h"

/* Reports a run of so many steps that took so many seconds of wall time: rates, time by phase,
   balance and memory. Collective. */
void performance_report(struct sim *s, int64_t steps, double seconds);
/* Lists the memory of the backend of rank 0 by purpose, in the log. Collective. */
void performance_memory(struct sim *s);

#endif
