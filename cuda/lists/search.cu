/* Kernels of the search for unlisted pairs (search.cuh), their arguments, and which pass does it
   instead. */
#include "cuda/lists/search.cuh"

#include <string.h>

#include "backend/apart_body.h"
#include "backend/device_lines.cuh"
#include "cuda/runtime/clock.h"
#include "cuda/runtime/memory.h"

template <int SEVERAL, int OBLIQUE>
static __global__ __launch_bounds__(SEARCH_THREADS) void search_displaced(
    const __grid_constant__ struct search_job job)
{
  const unsigned n = job.report->displaced[job.parity];
  if (is_expired(job.report)) return;
  search<SEVERAL, OBLIQUE>(job, n, search_parts(n, gridDim.x), gridDim.x);
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
  if (!is_expired(job.report)) search<SEVERAL, OBLIQUE>(job, n, 1, gridDim.x);
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

/* Launches a search in streams->side. */
static void search_beside(struct gpu *c, double reach, const struct device_signal *then)
{
  const int signals = then && then->to.n > 0;
  const struct search_job j =
      job_of(c, reach, c->clock->box_changes, c->clock->parity, c->clock->reduce_expired);
  const int64_t threads = c->base.n > 0 ? (int64_t)SEARCH_BLOCKS * SEARCH_THREADS : signals;
  const auto launch = j.list.oblique ? (j.n > 1 ? search_launch<1, 1> : search_launch<0, 1>)
                                     : (j.n > 1 ? search_launch<1, 0> : search_launch<0, 0>);
  cudaStream_t side = c->streams->side;
  launch(side, j, threads, signals ? then : NULL);
  graph_note(c, side, 0, &j, sizeof j);
  cuda_side_used(c);
}

static double waiting_reach(struct gpu *c)
{
  const double reach = c->search->reach;
  OWN(gpu_search, c->search)->waits = 0;
  return reach;
}

void cuda_search_open(struct gpu *c)
{
  (void)NEW_STATE(gpu_search, c, search);
}

void cuda_search_unlisted(struct backend *b, double reach, const struct device_signal *then)
{
  struct gpu *c = gpu_of(b);
  if (!cuda_step_links(c)) {
    search_beside(c, reach, then);
    return;
  }
  struct gpu_search *own = OWN(gpu_search, c->search);
  own->waits = 1;
  own->reach = reach;
}

void cuda_search_launch(struct gpu *c)
{
  if (!c->search->waits) return;
  cuda_fork(c);
  search_beside(c, waiting_reach(c), NULL);
}

struct search_job cuda_search_take(struct gpu *c)
{
  return job_of(c, waiting_reach(c), c->clock->box_changes, c->clock->parity,
                c->clock->reduce_expired);
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
  const int plain = list_rows(head.halves[0]), apart_rows = list_rows(head.halves[1]);
  for (int k = 0; k < 4 * (plain + apart_rows); k++) {
    const int row = k / 4 < plain ? k / 4 : l.most_rows - 1 - (k / 4 - plain);
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
