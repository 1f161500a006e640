/* Ranks that look after each other: a thread of each tells its two neighbours in a ring every
   second that it lives, and ends its rank, with status 5 and the name of rank and host, when

   - a neighbour has not been heard of for the timeout, or its process has ended and no launcher has
     ended the others in the meantime;
   - the own main thread has been in one step for that time, and does not wait for another rank;
   - all ranks have waited for each other for that time.

   A rank that ends for this reason tells its neighbours, and so all ranks end.

   Time is counted in turns of this thread: while the whole process stands still, no time passes,
   and a suspended job goes on. What the main thread does between two steps, such as writing files,
   may take as long as it likes. The limit of a step is ten times the longest so far where that is
   more. */
#ifndef HEARTBEAT_H
#define HEARTBEAT_H

#include <stdint.h>

#include "ranks.h"

struct heartbeat;

/* seconds: the timeout; 0: no heartbeat. Nor is there one with one rank, or, with a warning, where
   ranks cannot reach each other: then NULL. Collective. */
struct heartbeat *heartbeat_open(struct ranks *r, double seconds);
/* Collective. */
void heartbeat_close(struct heartbeat *h);

/* The main thread begins, and has ended, a step. Both are a store. */
void heartbeat_step_begin(const struct ranks *r);
void heartbeat_step_end(const struct ranks *r);

/* How a transport tells that the main thread waits for the GPU, which waits for another rank: where
   any of n words is not 0. word: pinned memory; NULL: no longer. */
void heartbeat_device_waits(const struct ranks *r, const volatile int32_t *word, int n);
/* Or that it does not know whether the GPU waits for another rank: then no rank is taken to hang by
   itself, and all ranks that stand still together end together. */
void heartbeat_device_unknown(const struct ranks *r, int yes);

#endif
