/* What a run cost: to the log, and as JSON in PREFIX.performance.json. Collective. */
#ifndef PERFORMANCE_H
#define PERFORMANCE_H

#include "md/sim.h"

/* steps done in seconds of wall time. */
void performance_report(struct sim *s, int64_t steps, double seconds);
/* What the memory of rank 0 is held for, to the log. */
void performance_memory(struct sim *s);

#endif
