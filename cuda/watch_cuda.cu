/* Are there pairs inside the cutoff that the lists lack? Two beads that have both come less far
   than the lists allow cannot have met. So only the few that have come further, which the move
   notes, are looked at, a block for each: against all beads that were near them at the build. */
#include "list_group_cuda.cuh"

enum { WATCH_THREADS = 128, WATCH_BLOCKS = 264, COLUMN_THREADS = 2 };

/* Set once a build, in device memory: what is launched in a step does not depend on the box. */
struct watch_lists {
  struct list_job list; /* with the reach of this search */
  float most2;          /* as list.r2: beads further apart cannot have met */
};

struct watch_job {
  const struct watch_lists *lists;
  const int *far;
  const struct bead_record *record;
  double cutoff2; /* nm2 */
  int turn, ask;
  struct cuda_report *report;
};

/* A bead alone. */
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

/* Is the k-th of the sorted beads inside the cutoff of a bead, and not in its list? */
static __device__ __forceinline__ int is_lacking(const struct watch_job &job,
                                                 const struct watch_lists &lists,
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

/* What this thread finds: a few threads take the beads of a column. */
static __device__ __forceinline__ int lacks(const struct watch_job &job,
                                            const struct watch_lists &lists, int i)
{
  const struct list_job &list = lists.list;
  const struct group g = group_alone(list, i);
  const int4 me = ((const int4 *)job.record)[i];
  const int columns = list.reach[0].n * list.reach[1].n;
  int found = 0;
  for (int c = (int)threadIdx.x / COLUMN_THREADS; c < columns;
       c += WATCH_THREADS / COLUMN_THREADS) {
    const struct runs r = column_runs(list, g, c);
#pragma unroll
    for (int part = 0; part < 2; part++)
      for (int k = (int)threadIdx.x % COLUMN_THREADS; k < r.length[part]; k += COLUMN_THREADS)
        found |= is_lacking(job, lists, g, me, r.begin[part] + k);
  }
  return found;
}

static __global__
__launch_bounds__(WATCH_THREADS) void watch_far(const __grid_constant__ struct watch_job job)
{
  struct cuda_report *report = job.report;
  const unsigned n = report->far[job.turn];
  if (blockIdx.x >= n) return;
  __shared__ struct watch_lists lists;
  for (unsigned w = threadIdx.x; w < sizeof lists / sizeof(int); w += WATCH_THREADS)
    ((int *)&lists)[w] = ((const int *)job.lists)[w];
  __syncthreads();
  if (is_stopped(report)) return; /* some warps may, for another block can find it meanwhile */
  for (unsigned k = blockIdx.x; k < n; k += gridDim.x)
    if (lacks(job, lists, job.far[k])) lists_end(report, job.ask, report->begun[job.turn ^ 1]);
}

static __global__ void tell(const struct cuda_report *report, int turn, struct cuda_told *told)
{
  const uint64_t stopped = report->stopped;
  if (stopped)
    *(volatile uint64_t *)&told->stopped = stopped;
  else
    *(volatile uint64_t *)&told->held = (uint64_t)report->begun[turn ^ 1];
}

void cuda_tell(struct backend *b)
{
  struct gpu *c = (struct gpu *)b;
  LAUNCH_ON(c->side, tell, 1, 1, c->report, c->turn, c->told);
}

void cuda_watch_ready(struct gpu *c, cudaStream_t stream)
{
  struct watch_lists lists;
  int64_t room = c->watch_lists ? (int64_t)sizeof lists : 0;
  if (c->watch_ready || !(c->watch_reach > 0)) return;
  lists.list = cuda_list_job(c, c->watch_reach);
  lists.most2 = lists.list.reach2 / (lists.list.h[0] * lists.list.h[0]);
  cuda_grow(c, (void **)&c->watch_lists, &room, (int64_t)sizeof lists, 0, "reports");
  CUDA(cudaMemcpyAsync(c->watch_lists, &lists, sizeof lists, cudaMemcpyHostToDevice, stream));
  c->watch_ready = 1;
}

void cuda_watch(struct backend *b, double reach)
{
  struct gpu *c = (struct gpu *)b;
  const double cutoff = c->config.ff->cutoff;
  struct watch_job j;
  c->watch_ready &= reach == c->watch_reach;
  c->watch_reach = reach;
  cuda_watch_ready(c, c->side);
  j.lists = c->watch_lists;
  j.far = c->value;
  j.record = c->record;
  j.cutoff2 = cutoff * cutoff * 1.000001; /* more than a float might take for inside */
  j.turn = c->turn;
  j.ask = c->ask;
  j.report = c->report;
  if (b->n > 0)
    LAUNCH_ON(c->side, watch_far, (int64_t)WATCH_BLOCKS * WATCH_THREADS, WATCH_THREADS, j);
  c->beside = 1;
}
