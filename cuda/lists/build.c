/* List builds of the CUDA backend: the order of their parts, the growth of arrays that are too
   small, and errors. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/log.h"
#include "cuda/lists/build_graph.h"
#include "cuda/lists/lists.h"
#include "cuda/step/step.h"

static struct gpu *of(struct backend *b)
{
  return (struct gpu *)b;
}

void cuda_build_begin(struct backend *b, int keep)
{
  struct gpu *c = of(b);
  size_t bytes = 3 * (size_t)b->n * sizeof(int32_t);
  if (keep && bytes)
    CUDA(cudaMemcpyAsync(c->arrays.old_position, c->arrays.beads.build_position, bytes,
                         cudaMemcpyDeviceToDevice, c->streams.main));
  if (!keep) cuda_columns_begin(c);
}

static void report_clear(struct gpu *c)
{
  size_t from = offsetof(struct cuda_report, broken);
  CUDA(cudaMemsetAsync(c->reports.device->displacement2_bits, 0,
                       sizeof c->reports.device->displacement2_bits, c->streams.main));
  CUDA(cudaMemsetAsync((char *)c->reports.device + from, 0, sizeof *c->reports.device - from,
                       c->streams.main));
}

static void refuse(struct gpu *c, const struct build_params *p)
{
  const struct cuda_fault *point = &c->reports.host->point, *broken = &c->reports.host->broken;
  if (point->found)
    die(STATUS_NUMERIC,
        "beads %lld and %lld lie on one point (%.6f %.6f %.6f nm); move one of them",
        (long long)point->bead, (long long)point->other, point->value[0] * c->sorting.build_box[0],
        point->value[1] * c->sorting.build_box[1], point->value[2] * c->sorting.build_box[2]);
  c->base.lost = broken->found && broken->value[0] == 0;
  if (broken->found && !(c->base.lost && p->may_widen)) {
    const struct offender_state s = cuda_offender(c, c->base.step);
    offender_broken(&s, broken->bead, broken->other, broken->value[0], broken->value[1]);
  }
}

/* 1 if an array was too small for the build: it has been enlarged, and the build must be repeated.
 */
static int grown(struct gpu *c)
{
  int again = cuda_clusters_read(c);
  int64_t bonded = c->reports.host->bonded * (int64_t)sizeof *c->bonded.entry;
  if (bonded > c->bonded.room) {
    cuda_grow(c, (void **)&c->bonded.entry, &c->bonded.room, bonded + bonded / 8, 0,
              "bonded terms");
    again = 1;
  }
  for (int l = 0; l < c->config.plan->n_passes; l++) {
    const int rows = c->reports.host->most_rows[l];
    if (rows > UINT16_MAX) /* struct cuda_place */
      die(STATUS_INPUT,
          "the neighbour list of a bead has %d rows of %d partners, and GPUs take fewer than %d "
          "rows: choose a smaller cutoff or skin, or the backend cpu",
          rows, 4 * c->list[l].lanes, UINT16_MAX + 1);
    if (rows <= c->list[l].most_rows) continue;
    c->list[l].most_rows = rows + 1;
    again = 1;
  }
  return again;
}

/* The part of a build that does not need the lists, in the side stream, concurrent with them. */
static void build_beside_lists(struct gpu *c, const struct build_params *p)
{
  cudaStream_t side = c->streams.side;
  if (c->base.checks != CHECK_NOTHING) cuda_points_check(c, side);
  cuda_partners_find(c, p, side);
  cuda_work_orders_set(c, side);
  c->streams.side_busy = 1;
}

static void audit(struct gpu *c, const struct build_params *p, struct audit *out)
{
  c->coefficients.kernel->audit(c, p->audit_reach, p->old_radius, p->old_box);
  cuda_report_read(c);
  out->missed = c->reports.host->missed;
  memcpy(&out->force, &c->reports.host->missed_force, sizeof out->force);
}

void cuda_clusters_load(struct gpu *c)
{
  if (!c->clusters.present) return;
  cuda_ids_set(c);
  do {
    report_clear(c);
    cuda_clusters_find(c);
    cuda_report_read(c);
  } while (cuda_clusters_read(c));
}

/* Lists, bonded entries and work orders, after cuda_cells. */
static void build_enqueue(struct gpu *c, const struct build_params *p)
{
  report_clear(c);
  cuda_ids_set(c);
  cuda_clusters_find(c);
  cuda_fork(c);
  cuda_lists_build(c);
  build_beside_lists(c, p);
}

/* The same by a graph, which is captured or there already, with the order of cuda_cells and
   balanced work orders. If an array is too small, these are of lists of builds before, which are
   valid. */
static void build_as_graph(struct gpu *c, const struct build_params *p)
{
  if (c->builds.way == BUILD_CAPTURED) {
    cuda_cells(c);
    build_enqueue(c, p);
    cuda_join(c);
    cuda_work_orders_balance(c);
  } else {
    cuda_lists_build(c); /* these two set arguments */
    cuda_partners_find(c, p, c->streams.side);
  }
  cuda_build_launch(c);
}

/* p->radius is not read: cuda_sort has set the grid from it. */
void cuda_build(struct backend *b, const struct build_params *p, struct audit *out)
{
  struct gpu *c = of(b);
  int again = 1;
  if (c->builds.way != BUILD_PLAIN) {
    build_as_graph(c, p);
    cuda_report_read(c);
    refuse(c, p);
    again = grown(c);
  } else {
    cuda_cells(c);
  }
  c->builds.way = BUILD_PLAIN;
  if (again) {
    do {
      build_enqueue(c, p);
      cuda_report_read(c);
      refuse(c, p);
    } while (grown(c));
    cuda_work_orders_balance(c);
  }
  cuda_baths_find(c);
  cuda_work_orders_read(c);
  b->n_listed = c->reports.host->listed;
  if (p->audit_reach >= 0) audit(c, p, out);
}
