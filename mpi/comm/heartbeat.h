/* Ranks that look after each other: a thread of each tells its two neighbours in a ring every
   second that it lives, and ends its rank, with status 5 and the name of rank and host, when

   - a neighbour has not been heard of for the timeout, or its process has ended and no launcher has
     ended the others in the meantime, and the own main thread has not got on either: a network of
     the heartbeat that fails for a time ends nobody;
   - the own main thread has been in one step for that time, and does not wait for another rank;
   - all ranks have waited for each other for that time, in a step or between two.

   A rank that ends for this reason tells its neighbours, and so all ranks end.

   Time is counted in turns of this thread: while the whole process stands still, no time passes,
   and a suspended job goes on. What the main thread does itself between two steps, such as writing
   files, may take as long as it likes, and so may the files that die waits for. The limit of a step
   is ten times the longest so far where that is more, the list build of the set-up among them.
   Before the end of the first step it is ten minutes at least, or ten times the timeout; the list
   build of the set-up itself has an hour. */
#ifndef HEARTBEAT_H
#define HEARTBEAT_H

#include <stdint.h>

#include "mpi/comm/ranks.h"

struct heartbeat;

/* seconds: the timeout; 0: no heartbeat. Nor is there one with one rank, or, with a warning, where
   ranks cannot reach each other: then NULL. Collective. */
struct heartbeat *heartbeat_open(struct ranks *r, double seconds);
/* Collective. */
void heartbeat_close(struct heartbeat *h);

/* The main thread begins, and has ended, a step, or, as the first of them, the list build of the
   set-up. They are a few stores. */
void heartbeat_step_begin(const struct ranks *r);
void heartbeat_step_end(const struct ranks *r);

/* May a wait for another rank last for ever, as somebody watches over it, or as the user wants it
   so (seconds: 0)? */
int heartbeat_waits_endless(const struct ranks *r);

/* How a transport tells that the main thread waits for the GPU, which waits for another rank: where
   any of n words is not 0. word: pinned memory; NULL: no longer, and it may be freed. */
void heartbeat_device_waits(const struct ranks *r, const volatile int32_t *word, int n);
/* Or that it does not know whether the GPU waits for another rank: then no rank is taken to hang by
   itself, and all ranks that stand still together end together. */
void heartbeat_device_unknown(const struct ranks *r, int yes);

#endif
