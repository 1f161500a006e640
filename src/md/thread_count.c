#include "md/thread_count.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/parallel_loop.h"

int thread_count(const struct ranks *r, const struct params *p)
{
  const int most = parallel_threads_most();
  const char *environment = getenv("OMP_NUM_THREADS"); /* may be a list, of nested loops */
  const long said = environment ? strtol(environment, NULL, 10) : 0;
  if (p->parallel_threads > most)
    die_all(STATUS_INPUT,
            "parallel.threads: %lld: this program was built without OpenMP, and its ranks have one "
            "thread; start more ranks with mpiexec",
            (long long)p->parallel_threads);
  if (p->parallel_threads > 0) return (int)p->parallel_threads;
  if (said > 0) return (int)clip(said, 1, most);
  return r->node_size > 1 ? 1 : (int)clip(parallel_processors(NULL), 1, most);
}

void thread_count_say(const struct ranks *r, int threads, char text[80])
{
  int computer;
  const int processors = parallel_processors(&computer), all = threads * r->node_size;
  char of[40] = "";
  if (computer > processors) snprintf(of, sizeof of, " of %d", computer);
  snprintf(text, 80, "%d thread%s%s on %d%s processor%s", threads, threads > 1 ? "s" : "",
           r->size > 1 ? " each" : "", processors, of, processors > 1 || of[0] ? "s" : "");
  if (threads > 1 && (threads > processors || all > computer))
    warn("%d threads of %d rank%s share %d processors, which is slower than one for each; set "
         "parallel.threads, or OMP_NUM_THREADS",
         all, r->node_size, r->node_size > 1 ? "s" : "", processors);
  else if (r->busy && r->node_size > 1)
    warn("%d ranks share the processors of a node, and %s keeps these busy while it waits: fewer "
         "ranks of several threads (parallel.threads) are faster",
         r->node_size, r->busy);
}
