/* The search for unlisted pairs inside the cutoff. Two beads that have both moved less than
   search_above2 since the list build cannot be such a pair. So only the few beads that have moved
   further are searched; the integrator lists them. A block takes one of them, and compares it with
   all beads that were closer than reach to it at the build. */
#include "cuda/lists/list_group.cuh"

enum { SEARCH_THREADS = 128, SEARCH_BLOCKS = 264, COLUMN_THREADS = 2 };

struct search_lists {
  struct list_job list; /* with the reach of this search */
  float most2; /* as list.r2: beads further apart at the build cannot be inside the cutoff */
};

struct search_job {
  struct search_lists lists;
  const struct search_lists *stored; /* the same in device memory, used if the box changes, so that
                                     the arguments of the launch do not depend on the box */
  const int *displaced;
  const struct bead_record *record;
  double cutoff2; /* nm2 */
  int parity, reduce;
  struct cuda_report *report;
};

/* A group of one bead. */
static __device__ __forceinline__ struct group group_alone(const struct list_job &job, int i)
{
  struct group g;
  int cell[3];
  const int *x = job.position + 3 * (int64_t)i;
  for (int k = 0; k < 3; k++) {
    cell[k] = cell_of(x[k], job.cells[k], &g.low[k]);
    g.high[k] = g.low[k];
    g.centre[k] = x[k] >> COARSE << COARSE;
  }
  g.column[0] = cell[0];
  g.column[1] = cell[1];
  g.floor = cell[2];
  return g;
}

/* 1 if the k-th of the sorted beads is inside the cutoff of a bead and not in its list. */
static __device__ __forceinline__ int is_unlisted(const struct search_job &job,
                                                  const struct search_lists &lists,
                                                  const struct group &g, const int4 me, int k)
{
  const struct list_job &list = lists.list;
  const int4 q = ((const int4 *)list.sorted)[k];
  const int j = q.w & SORTED_BEAD;
  const float d2 =
      coarse2(list, coarse(q.x, g.centre[0]), coarse(q.y, g.centre[1]), coarse(q.z, g.centre[2]));
  if (d2 < list.r2 || d2 > lists.most2) return 0;
  const int4 other = ((const int4 *)job.record)[j];
  const double *box = job.report->box.now.box;
  const double part = 1 / 4294967296.0;
  const double dx = (double)(int)((unsigned)me.x - (unsigned)other.x) * (box[0] * part),
               dy = (double)(int)((unsigned)me.y - (unsigned)other.y) * (box[1] * part),
               dz = (double)(int)((unsigned)me.z - (unsigned)other.z) * (box[2] * part);
  return dx * dx + dy * dy + dz * dz < job.cutoff2;
}

/* 1 if this thread finds an unlisted pair of bead i. COLUMN_THREADS threads share a column. */
static __device__ __forceinline__ int find_unlisted(const struct search_job &job,
                                                    const struct search_lists &lists, int i)
{
  const struct list_job &list = lists.list;
  const struct group g = group_alone(list, i);
  const int4 me = ((const int4 *)job.record)[i];
  const int columns = list.reach[0].n * list.reach[1].n;
  int found = 0;
  for (int c = (int)threadIdx.x / COLUMN_THREADS; c < columns;
       c += SEARCH_THREADS / COLUMN_THREADS) {
    const struct runs r = column_runs(list, g, c);
#pragma unroll
    for (int part = 0; part < 2; part++)
      for (int k = (int)threadIdx.x % COLUMN_THREADS; k < r.length[part]; k += COLUMN_THREADS)
        found |= is_unlisted(job, lists, g, me, r.begin[part] + k);
  }
  return found;
}

static __device__ __forceinline__ void search_all(const struct search_job &job,
                                                  const struct search_lists &lists, unsigned n)
{
  if (is_expired(job.report)) return;
  for (unsigned k = blockIdx.x; k < n; k += gridDim.x)
    if (find_unlisted(job, lists, job.displaced[k]))
      lists_expire(job.report, job.reduce, job.report->begun[job.parity ^ 1]);
}

static __global__ __launch_bounds__(SEARCH_THREADS) void search_displaced(
    const __grid_constant__ struct search_job job)
{
  search_all(job, job.lists, job.report->displaced[job.parity]);
}

static __global__ __launch_bounds__(SEARCH_THREADS) void search_displaced_stored(
    const __grid_constant__ struct search_job job)
{
  const unsigned n = job.report->displaced[job.parity];
  if (blockIdx.x >= n) return;
  __shared__ struct search_lists lists;
  for (unsigned w = threadIdx.x; w < sizeof lists / sizeof(int); w += SEARCH_THREADS)
    ((int *)&lists)[w] = ((const int *)job.stored)[w];
  __syncthreads();
  search_all(job, lists, n);
}

/* Tells the host, through pinned memory, whether the lists hold at this step. */
static __global__ void notify(const struct cuda_report *report, int parity,
                              struct cuda_progress *progress)
{
  const uint64_t expired = report->expired_agreed;
  if (expired)
    *(volatile uint64_t *)&progress->expired_agreed = expired;
  else
    *(volatile uint64_t *)&progress->valid_step = (uint64_t)report->begun[parity ^ 1];
}

void cuda_notify_host(struct backend *b)
{
  struct gpu *c = (struct gpu *)b;
  LAUNCH_ON(c->streams.side, notify, 1, 1, c->reports.device, c->step.parity, c->reports.progress);
}

static struct search_lists lists_now(struct gpu *c)
{
  struct search_lists l;
  l.list = cuda_list_job(c, c->search.reach);
  l.most2 = l.list.reach2 / (l.list.h[0] * l.list.h[0]);
  return l;
}

void cuda_search_prepare(struct gpu *c, cudaStream_t stream)
{
  int64_t room = c->search.lists ? (int64_t)sizeof *c->search.lists : 0;
  if (c->search.ready || !(c->search.reach > 0)) return;
  const struct search_lists lists = lists_now(c);
  cuda_grow(c, (void **)&c->search.lists, &room, (int64_t)sizeof lists, 0, "reports");
  CUDA(cudaMemcpyAsync(c->search.lists, &lists, sizeof lists, cudaMemcpyHostToDevice, stream));
  c->search.ready = 1;
}

void cuda_search_unlisted(struct backend *b, double reach)
{
  struct gpu *c = (struct gpu *)b;
  const double cutoff = c->config.ff->cutoff;
  const int64_t threads = b->n > 0 ? (int64_t)SEARCH_BLOCKS * SEARCH_THREADS : 0;
  struct search_job j;
  c->search.ready &= reach == c->search.reach;
  c->search.reach = reach;
  if (c->step.box_changes) cuda_search_prepare(c, c->streams.side);
  j.lists = lists_now(c);
  j.stored = c->search.lists;
  j.displaced = c->sorting.value;
  j.record = c->arrays.record;
  j.cutoff2 =
      cutoff * cutoff * 1.000001; /* larger than any distance that float rounds to the cutoff */
  j.parity = c->step.parity;
  j.reduce = c->step.reduce_expired;
  j.report = c->reports.device;
  if (c->step.box_changes)
    LAUNCH_ON(c->streams.side, search_displaced_stored, threads, SEARCH_THREADS, j);
  else
    LAUNCH_ON(c->streams.side, search_displaced, threads, SEARCH_THREADS, j);
  c->streams.side_busy = 1;
}
