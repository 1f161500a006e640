/* Detection of dead and hanging ranks. A thread of each rank sends a heartbeat to its two
   neighbours in a ring every second. It ends its rank, with status 5 and the name of the rank and
   host at fault, in three cases:

   - A neighbour has not sent for the timeout, or its process has ended and no launcher has ended
   the other ranks; and the main thread of this rank has made no progress either. A temporary
   failure of the network therefore ends no rank.
   - The main thread of this rank has been in one step for the timeout without waiting for another
     rank.
   - All ranks have waited for each other for the timeout, in a step, between two steps or in the
   writing of files.

   A rank that ends for one of these reasons notifies its neighbours, and so all ranks end.

   Time is counted in iterations of this thread: while the whole process is stopped, no time passes,
   and a suspended job continues. Work of the main thread between two steps, such as writing files
   to a slow disk, has no limit; neither have the files that die waits for. The limit of a step is
   the timeout or ten times the longest step so far, whichever is more; the list build of the set-up
   counts as a step. Before the end of the first step it is at least ten minutes and ten times the
   timeout; the list build of the set-up has an hour. */
#ifndef HEARTBEAT_H
#define HEARTBEAT_H

#include <stdint.h>

#include "mpi/comm/ranks.h"

struct heartbeat;

/* Starts the thread. seconds: the timeout. Returns NULL, and there is no heartbeat, if seconds is
   0, if there is one rank, or, with a warning, if the ranks cannot connect to each other.
   Collective. */
struct heartbeat *heartbeat_open(struct ranks *r, double seconds);
/* The same beside the heartbeats of groups of ranks that do not wait for each other: `all` are
   those of all groups, `own` those of the group of this rank. It ends the job when a neighbour is
   lost while the main thread of this rank makes no progress, as where it waits for the other
   groups, and for no other reason. Collective over all. */
struct heartbeat *heartbeat_open_beside(struct ranks *all, const struct ranks *own, double seconds);
/* Ends the thread. h may be NULL. Collective. */
void heartbeat_close(struct heartbeat *h);

/* The main thread begins a step, and has ended it. The list build of the set-up is the first. They
   cost a few stores. Local. */
void heartbeat_step_begin(const struct ranks *r);
void heartbeat_step_end(const struct ranks *r);

/* 1 if a wait for another rank needs no time limit: the heartbeat watches it, or the user has set
   the timeout to 0. Local. */
int heartbeat_waits_endless(const struct ranks *r);

/* Registers n words of pinned host memory by which a transport tells whether the GPU waits for
   another rank: it does if any of them is not 0. NULL: removes them; the memory may then be freed.
   Local. */
void heartbeat_device_waits(const struct ranks *r, const volatile int32_t *word, int n);
/* yes 1: the transport cannot tell whether the GPU waits for another rank. Then no single rank is
   considered hanging, but all ranks end if none makes progress. Local. */
void heartbeat_device_unknown(const struct ranks *r, int yes);

#endif
