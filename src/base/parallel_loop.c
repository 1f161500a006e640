#define _GNU_SOURCE /* sched_getaffinity */
#include "base/parallel_loop.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/minmax.h"
#include "config.h"

enum { CHUNKS = 64, THREADS_MOST = 256 }; /* CHUNKS: of each thread */

/* Chunks that a thread does first. Those that are left when others have done theirs go to them: so
   a bead is mostly done by one thread, which has it in its cache, and none waits for long. */
struct share {
  _Alignas(64) int next; /* a cache line for each */
  int end;
};

/* The number of the next chunk of a share. */
static int share_take(struct share *s)
{
  int k;
#pragma omp atomic capture
  k = s->next++;
  return k;
}

int parallel_loop(int threads, int n, int least, parallel_body *body, void *of)
{
  struct share share[THREADS_MOST];
  int chunk = n / (CHUNKS * threads), first = n;
  if (chunk < least) chunk = least;
  if (threads == 1 || n <= chunk) return n > 0 ? body(of, 0, n, 0) : 0;
  const int chunks = (n - 1) / chunk + 1;
  for (int t = 0; t < threads; t++) {
    share[t].next = t * chunks / threads;
    share[t].end = (t + 1) * chunks / threads;
  }
#pragma omp parallel for num_threads(threads) schedule(static, 1) reduction(min : first)
  for (int thread = 0; thread < threads; thread++)
    for (int v = 0; v < threads; v++) {
      struct share *s = &share[(thread + v) % threads];
      for (int k = share_take(s); k < s->end; k = share_take(s)) {
        const int begin = k * chunk, end = n - begin < chunk ? n : begin + chunk;
        const int failed = body(of, begin, end, thread);
        if (failed < end && failed < first) first = failed;
      }
    }
  return first;
}

int parallel_waits_set(void)
{
  if (!HAVE_OPENMP || getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") ||
      getenv("KMP_BLOCKTIME"))
    return 0;
  setenv("GOMP_SPINCOUNT", "1000", 1); /* tests for the end of the wait */
  setenv("KMP_BLOCKTIME", "1", 1);     /* ms */
  return 1;
}

int parallel_threads_most(void)
{
  return HAVE_OPENMP ? THREADS_MOST : 1;
}

/* Processors that the container may use at the same time on average; infinity if unlimited. */
static double container_processors(void)
{
  double quota, period;
  FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
  const int known = file && fscanf(file, "%lf %lf", &quota, &period) == 2 && period > 0;
  if (file) fclose(file);
  return known ? quota / period : (double)INFINITY;
}

int parallel_processors(int *computer)
{
  cpu_set_t set;
  const long all = sysconf(_SC_NPROCESSORS_ONLN);
  const int allowed = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
  if (computer) *computer = all > allowed ? (int)all : allowed;
  return (int)double_max(1, double_min(allowed, ceil(container_processors())));
}
