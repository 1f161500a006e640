/* The search for unlisted pairs inside the cutoff. At least one bead of such a pair has moved more
   than search_above2 (a squared displacement) since the list build. These are few: the integrator
   lists them, and a block compares one of them with all beads that were within reach of it at the
   build. With several lists (kernels with SEVERAL 1), a pair is unlisted if it is inside the cutoff
   of a list that has pairs of its list classes but lacks this one. */
#include <string.h>

#include "backend/apart_body.h"
#include "backend/device_lines.cuh"
#include "cuda/lists/list_group.cuh"
#include "cuda/runtime/clock.h"

/* Two blocks for each multiprocessor of an H200: with 528 and 1,056 blocks Martini of 20,736 beads
   under a barostat lost 8 and 7 %, ELBA of 7,040 beads 2 and 30 %. */
enum { SEARCH_THREADS = 128, SEARCH_BLOCKS = 264, COLUMN_THREADS = 2 };

/* A list of the plan, for the search. */
struct search_plan {
  double cutoff2;                       /* nm2 */
  unsigned partners[PAIR_CLASSES_MOST]; /* of struct pair_pass */
};

struct search_job {
  struct list_job list; /* list 0, with the reach of the search of all lists */
  /* Of each list, in units of list.h[0]^2: its radius squared, and the squared distance at the
     build beyond which no pair can be inside its cutoff now. */
  float r2[PAIR_PASSES_MOST], most2[PAIR_PASSES_MOST];
  const int *displaced; /* local indices of the beads to search around */
  const struct bead_record *record;
  int n; /* lists */
  struct search_plan plan[PAIR_PASSES_MOST];
  int parity, reduce; /* parity of the step; reduce of lists_expire */
  struct cuda_report *report;
};

/* A group of one bead. */
DEVICE struct group group_alone(const struct list_job &job, int i)
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

/* The largest cutoff squared, nm2, of the lists that ought to hold a pair of these list classes but
   do not, because it was so far apart at the build (d2); 0 if there are none. */
DEVICE double lacking_cutoff2(const struct search_job &job, float d2, unsigned mine, unsigned other)
{
  double cutoff2 = 0;
  for (int l = 0; l < job.n; l++) {
    if (d2 < job.r2[l] || d2 > job.most2[l]) continue;
    if (job.plan[l].partners[mine] >> other & 1u) cutoff2 = fmax(cutoff2, job.plan[l].cutoff2);
  }
  return cutoff2;
}

/* 1 if the k-th of the sorted beads is inside the cutoff of bead `me` (present record) and not in
   its list. mine: the list class of the bead. */
template <int SEVERAL, int OBLIQUE>
DEVICE int is_unlisted(const struct search_job &job, const struct group &g, const int4 me,
                       unsigned mine, int k)
{
  const struct list_job &list = job.list;
  const int4 q = ((const int4 *)list.sorted)[k];
  const int j = q.w & SORTED_BEAD;
  const float dx = coarse(q.x, g.centre[0]), dy = coarse(q.y, g.centre[1]),
              dz = coarse(q.z, g.centre[2]);
  const float d2 = coarse2<OBLIQUE>(list, dx, dy, dz);
  double cutoff2 = job.plan[0].cutoff2;
  if (!SEVERAL && (d2 < job.r2[0] || d2 > job.most2[0])) return 0;
  if (SEVERAL) cutoff2 = lacking_cutoff2(job, d2, mine, list_class_of(q.w));
  if (SEVERAL && !(cutoff2 > 0)) return 0;
  const int4 other = ((const int4 *)job.record)[j];
  const int32_t here[3] = {me.x, me.y, me.z}, there[3] = {other.x, other.y, other.z};
  double box[BOX], unit[BOX];
  box_for<OBLIQUE>(job.report->box.now.box, box);
  torus_units(box, unit);
  return torus_distance2(here, there, unit) < cutoff2;
}

/* 1 if this thread finds an unlisted pair of bead i. COLUMN_THREADS threads share a column of
   cells. */
template <int SEVERAL, int OBLIQUE> DEVICE int find_unlisted(const struct search_job &job, int i)
{
  const struct list_job &list = job.list;
  const struct group g = group_alone(list, i);
  const int4 me = ((const int4 *)job.record)[i];
  const unsigned mine = SEVERAL ? (unsigned)list.types[me.w].list_class : 0;
  const int columns = list.reach[0].n * list.reach[1].n;
  int found = 0;
  for (int c = (int)threadIdx.x / COLUMN_THREADS; c < columns;
       c += SEARCH_THREADS / COLUMN_THREADS) {
    const struct runs r = column_runs<OBLIQUE>(list, g, c);
#pragma unroll
    for (int run = 0; run < 2; run++)
      for (int k = (int)threadIdx.x % COLUMN_THREADS; k < r.length[run]; k += COLUMN_THREADS)
        found |= is_unlisted<SEVERAL, OBLIQUE>(job, g, me, mine, r.begin[run] + k);
  }
  return found;
}

/* Searches around displaced beads blockIdx.x, blockIdx.x + gridDim.x, ... of n. */
template <int SEVERAL, int OBLIQUE> DEVICE void search(const struct search_job &job, unsigned n)
{
  for (unsigned k = blockIdx.x; k < n; k += gridDim.x)
    if (find_unlisted<SEVERAL, OBLIQUE>(job, job.displaced[k]))
      lists_expire(job.report, job.reduce, job.report->begun[job.parity ^ 1]);
}

template <int SEVERAL, int OBLIQUE>
static __global__ __launch_bounds__(SEARCH_THREADS) void search_displaced(
    const __grid_constant__ struct search_job job)
{
  const unsigned n = job.report->displaced[job.parity];
  if (is_expired(job.report)) return;
  search<SEVERAL, OBLIQUE>(job, n);
}

/* The last block that has a bead writes the signal; without displaced beads block 0 does. */
template <int SEVERAL, int OBLIQUE>
static __global__ __launch_bounds__(SEARCH_THREADS) void search_and_signal(
    const __grid_constant__ struct search_job job,
    const __grid_constant__ struct device_signal then)
{
  const unsigned n = job.report->displaced[job.parity];
  const unsigned blocks = n < gridDim.x ? n : gridDim.x;
  if (blockIdx.x >= blocks && blockIdx.x > 0) return;
  if (!is_expired(job.report)) search<SEVERAL, OBLIQUE>(job, n);
  if (blocks == 0 || block_is_last(job.report->ended, blocks)) lines_write(then);
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

void cuda_lists_agreed(struct backend *b)
{
  struct gpu *c = gpu_of(b);
  if (b->early_notify)
    LAUNCH_ON(c->streams->side, notify, 1, 1, c->reports->device, c->clock->parity,
              c->reports->progress);
  if (c->config.ranks > 1) cuda_join(c); /* on one rank main waits for side after the forces */
}

/* Sets list, ranges and plan. reach (nm): of the widest list. That of a narrower list is less by
   its margin, but only if the box cannot change. */
static void lists_set(struct search_job *j, struct gpu *c, double reach, int box_changes)
{
  j->list = cuda_list_job(c, 0, reach);
  j->n = c->config.plan->n_passes;
  for (int l = 0; l < j->n; l++) {
    const struct pair_pass *from = &c->config.plan->pass[l];
    const double margin = box_changes ? 0 : cuda_list_margin(c, l);
    const struct list_job list =
        l == 0 && margin == 0 ? j->list : cuda_list_job(c, l, reach - margin);
    j->r2[l] = list.r2;
    j->most2[l] = list.reach2 / (list.h[0] * list.h[0]);
    /* Larger than any distance that float rounds to the cutoff. */
    j->plan[l].cutoff2 = from->cutoff * from->cutoff * 1.000001;
    for (int k = 0; k < PAIR_CLASSES_MOST; k++)
      j->plan[l].partners[k] = from->partners[k];
  }
}

/* The search of a step of this parity. All bytes are set: jobs are compared byte by byte. */
static struct search_job job_of(struct gpu *c, double reach, int box_changes, int parity,
                                int reduce)
{
  struct search_job j;
  memset(&j, 0, sizeof j);
  lists_set(&j, c, reach, box_changes);
  j.displaced = c->sorting->value;
  j.record = c->arrays->record;
  j.parity = parity;
  j.reduce = reduce;
  j.report = c->reports->device;
  return j;
}

template <int SEVERAL, int OBLIQUE>
static void search_launch(cudaStream_t stream, const struct search_job &j, int64_t threads,
                          const struct device_signal *then)
{
  if (then)
    LAUNCH_ON(stream, (search_and_signal<SEVERAL, OBLIQUE>), threads, SEARCH_THREADS, j, *then);
  else
    LAUNCH_ON(stream, (search_displaced<SEVERAL, OBLIQUE>), threads, SEARCH_THREADS, j);
}

void cuda_search_unlisted(struct backend *b, double reach, const struct device_signal *then)
{
  struct gpu *c = gpu_of(b);
  const int signals = then && then->to.n > 0;
  const struct search_job j =
      job_of(c, reach, c->clock->box_changes, c->clock->parity, c->clock->reduce_expired);
  const int64_t threads = c->base.n > 0 ? (int64_t)SEARCH_BLOCKS * SEARCH_THREADS : signals;
  const auto launch = j.list.oblique ? (j.n > 1 ? search_launch<1, 1> : search_launch<0, 1>)
                                     : (j.n > 1 ? search_launch<1, 0> : search_launch<0, 0>);
  cudaStream_t side = c->streams->side;
  launch(side, j, threads, signals ? then : NULL);
  graph_note(c, side, &j, sizeof j);
  cuda_side_used(c);
}

void cuda_search_renew(struct gpu *c, const struct integrate_params *m, int parity)
{
  const struct search_job j = job_of(c, m->search_reach, m->box_changes, parity, m->reduce_expired);
  (void)graph_renewed(c, &j, sizeof j);
}

/* The pairs of a list that cuda_count_apart counts. */
struct apart_job {
  int n;
  struct cuda_list list;
  const int32_t *position; /* of the build */
  const struct bead_record *record;
  struct apart_range range;
  struct cuda_report *report;
};

static __global__ void apart_count(const __grid_constant__ struct apart_job job)
{
  const struct cuda_list &l = job.list;
  const int64_t i = thread_index() / l.lanes, lane = thread_index() % l.lanes;
  int64_t apart = 0;
  struct list_head head = {{0, 0}};
  if (i < job.n) head = l.head[i];
  for (int k = 0; k < 4 * (head.rows[0] + head.rows[1]); k++) {
    const int row = k / 4 < head.rows[0] ? k / 4 : l.most_rows - 1 - (k / 4 - head.rows[0]);
    const int j = l.index[((i * l.most_rows + row) * l.lanes + lane) * 4 + k % 4];
    apart += apart_is(&job.range, job.position, job.record, i, j);
  }
  block_add(apart, &job.report->apart);
}

int64_t cuda_count_apart(struct backend *b, double built, double now)
{
  struct gpu *c = gpu_of(b);
  struct apart_job j;
  j.n = b->n;
  j.position = c->arrays->beads.build_position;
  j.record = c->arrays->record;
  j.report = c->reports->device;
  CUDA_CLEAR(c, &j.report->apart, sizeof j.report->apart);
  cuda_report_read(c);
  for (int k = 0; k < c->config.plan->n_passes; k++) {
    j.list = c->lists->of[k];
    j.range = apart_range_of(&c->config, k, built, now, c->reports->build_box,
                             c->reports->host->box.now.box);
    LAUNCH(apart_count, (int64_t)j.n * j.list.lanes, SEARCH_THREADS, c, j);
  }
  cuda_report_read(c);
  return c->reports->host->apart;
}
