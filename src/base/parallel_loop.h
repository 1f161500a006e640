/* Loops that the threads of this rank share (OpenMP). The items of a loop are done in chunks.
   Each thread begins with those of a range of its own, and then helps others.

   What a body may write: the items begin ... end - 1 of arrays that have an element for each item,
   and what belongs to its number of a thread, such as partial sums. All else it may read, and
   nobody writes it during the loop. So the result depends neither on the number of threads nor on
   who did what: a bead sums its own forces, partial sums are integers or maxima, which have no
   order, and what needs an order is done after the loop. A body does not call MPI and does not end
   the program: it says which item failed, and the caller looks at that one again. */
#ifndef PARALLEL_LOOP_H
#define PARALLEL_LOOP_H

/* Does items begin ... end - 1. Returns the first of them that failed, at which it may stop, or
   end. 0 <= thread < threads. */
typedef int parallel_body(void *of, int begin, int end, int thread);

/* Does items 0 ... n - 1 in chunks of at least `least` items, which should take longer than some
   microseconds. Returns the first item that failed, or n. With one thread it is one call of the
   body, for all of them. Not within another loop. */
int parallel_loop(int threads, int n, int least, parallel_body *body, void *of);

/* Lets threads that wait for others sleep after some 50 us (libomp: 1 ms). Left alone, libgomp has
   them busy for 20 ms and libomp for 200 ms: where another program uses one of the processors, a
   step then takes fifty times longer. The libraries read the environment when a program starts:
   returns 1 if it has to be started anew. What the user has set stays. */
int parallel_waits_set(void);

/* The most threads that a loop may have: 1 where the program was built without OpenMP. */
int parallel_threads_most(void);
/* The processors that this process may use, by its affinity and the limit of its container; and,
   unless NULL, how many the computer has. */
int parallel_processors(int *computer);

#endif
