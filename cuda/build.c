/* List builds: the order of their kernels, the growth of arrays that are too small, and errors. On
   one rank, if steps are CUDA graphs, builds are too, and later builds with the same launch state
   replay them: about 25 small kernels, which take longer to launch one by one than to run. The host
   does not wait for such a build if it knows the box without that (cuda_resume). */
#include "cuda/operations.h"

#include "base/log.h"
#include "cuda/lists/bonded.h"
#include "cuda/lists/clusters.h"
#include "cuda/lists/list.h"
#include "cuda/runtime/clock.h"
#include "cuda/runtime/memory.h"
#include "cuda/step/step.h"

static_assert((int)PAIR_PASSES_MOST < (int)GRAPH_NODES_MOST, "a node for each list, one for terms");

void cuda_build_begin(struct backend *b, int keep)
{
  struct gpu *c = gpu_of(b);
  cuda_join_if_busy(c); /* side may still read beads, for the biases of this step */
  cuda_external_begin(c);
  cuda_clock_link(c, 0);
  cuda_sorting_begin(c, keep);
}

/* The first build with a launch state launches its kernels one by one, the second is captured,
   later ones replay the graph. */
void cuda_build_sort(struct backend *b, double radius)
{
  struct gpu *c = gpu_of(b);
  cuda_grid_set(c, radius);
  const int as_graph = c->batches && c->config.ranks == 1 && c->base.n > 0;
  if (as_graph && graph_begin(c, GRAPH_BUILDS, NULL, 0, 0) == GRAPH_REPLAYED) {
    cuda_arrays_swap(c);
    return;
  }
  if (c->config.ranks == 1) cuda_report_clear(c);
  cuda_sort(c);
  if (c->config.ranks > 1) cuda_update_pair_records(c, 0, b->n, c->streams->main);
}

static void refuse(struct gpu *c, const struct build_params *p)
{
  const struct cuda_fault *point = &c->reports->host->point, *broken = &c->reports->host->broken;
  const double *box = c->reports->build_box;
  if (point->found)
    die(STATUS_NUMERIC,
        "beads %lld and %lld lie on one point (%.6f %.6f %.6f nm); move one of them",
        (long long)point->bead, (long long)point->other, point->value[0] * box[0],
        point->value[1] * box[1], point->value[2] * box[2]);
  c->base.lost = broken->found && broken->value[0] == 0;
  if (broken->found && !(c->base.lost && p->may_widen)) {
    const struct offender_state s = cuda_offender(c, c->base.step);
    offender_broken(&s, broken->bead, broken->other, broken->value[0], broken->value[1]);
  }
}

/* Waits for a build. 0 if an array was too small: it has been enlarged, and the build must be
   repeated. */
static int is_good(struct gpu *c, const struct build_params *p)
{
  cuda_report_read(c);
  (void)cuda_report_resume(c);
  refuse(c, p);
  const int clusters = cuda_clusters_read(c), bonded = cuda_partners_read(c);
  const int again = cuda_lists_read(c) || clusters || bonded;
  if (again) cuda_report_clear(c);
  return !again;
}

void cuda_clusters_load(struct gpu *c)
{
  if (!c->clusters->type) return;
  cuda_ids_set(c);
  do {
    cuda_report_clear(c);
    cuda_clusters_find(c, c->streams->main);
    cuda_report_read(c);
  } while (cuda_clusters_read(c));
}

/* Enqueues, after cuda_cells: neighbour lists in streams->main, and concurrently, in streams->side,
   what does not need them: clusters, bonded entries, on one rank the records of beads, and work
   orders. Few beads on one rank: all of this but the orders, which then have no boundary beads, in
   streams->side2. */
static void build_enqueue(struct gpu *c, const struct build_params *p)
{
  const int alone = c->config.ranks == 1, few = alone && c->base.n < SUM_FEW_MOST;
  cudaStream_t side = c->streams->side, first = few ? c->streams->side2 : side;
  cuda_fork(c);
  if (few) cuda_fork_side2(c);
  cuda_lists_build(c);
  cuda_clusters_find(c, first);
  if (c->base.checks < CHECK_PARTNERS) cuda_points_check(c, first);
  cuda_partners_find(c, p, first);
  if (alone) cuda_update_pair_records(c, 0, c->base.n, first);
  cuda_orders_set(c, side);
  if (few) cuda_join_side2(c);
  cuda_side_used(c);
}

/* The whole build, from cuda_cells to cuda_orders_balance, as a CUDA graph that is captured or
   replayed. If an array is too small, cuda_orders_balance reads lists of an earlier build, which
   does no harm: the build is repeated. */
static void build_as_graph(struct gpu *c, const struct build_params *p)
{
  if (graph_now(c) == GRAPH_CAPTURED) {
    cuda_cells(c);
    build_enqueue(c, p);
    cuda_join(c);
    cuda_orders_balance(c);
  } else {
    cuda_lists_build(c); /* these two update arguments in the graph */
    cuda_partners_find(c, p, c->streams->side);
  }
  graph_launch(c, cudaGraphInstantiateFlagUseNodePriority);
}

/* p->radius is not read: cuda_build_sort has set the grid from it. */
void cuda_build(struct backend *b, const struct build_params *p)
{
  struct gpu *c = gpu_of(b);
  const enum graph_way way = graph_now(c);
  int again = 1;
  if (way == GRAPH_NONE)
    cuda_cells(c);
  else
    build_as_graph(c, p);
  if (way == GRAPH_REPLAYED && c->reports->no_wait) {
    cuda_build_check(c);
    again = 0;
  } else if (way != GRAPH_NONE) {
    again = !is_good(c, p);
  }
  if (again) {
    if (c->config.ranks > 1) {
      cuda_report_clear(c);
      cuda_ids_set(c);
    }
    do {
      build_enqueue(c, p);
    } while (!is_good(c, p));
    cuda_orders_balance(c);
  }
  cuda_teams_find(c);
  cuda_external_find(c);
  cuda_biases_find(c);
  cuda_orders_read(c);
  b->n_listed = c->reports->host->listed;
}
