/* How many threads share the loops of a rank on the CPU (base/parallel_loop.h). The trajectory does
   not depend on it. */
#ifndef THREAD_COUNT_H
#define THREAD_COUNT_H

#include "input/param.h"
#include "mpi/comm/ranks.h"

/* As parallel.threads says. auto: the environment variable OMP_NUM_THREADS; where it is not set,
   one for each processor that the rank may use if no other rank is on its node, else 1. Local. */
int thread_count(const struct ranks *r, const struct params *p);
/* Says how many threads there are on how many processors, such as "4 threads on 16 processors", and
   warns if the threads of the node outnumber them. */
void thread_count_say(const struct ranks *r, int threads, char text[80]);

#endif
