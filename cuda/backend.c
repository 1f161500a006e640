/* The CUDA backend: the beads of a rank on one GPU. This file: the table of operations, copies of
   the beads to and from the host, and draining. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cuda/comm/comm.h"
#include "cuda/lists/bonded.h"
#include "cuda/lists/clusters.h"
#include "cuda/lists/list.h"
#include "cuda/operations.h"
#include "cuda/runtime/clock.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/tuning.h"
#include "cuda/step/minimise.h"
#include "cuda/step/step.h"

extern const struct backend_ops backend_cuda;

/* Allocate the state of each module. A module may use the state of those before it. */
static void (*const open_all[])(struct gpu *c) = {
    cuda_graphs_open,   cuda_memory_open,  cuda_streams_open,  cuda_report_open, cuda_clock_open,
    cuda_beads_open,    cuda_sorting_open, cuda_lists_open,    cuda_orders_open, cuda_search_open,
    cuda_topology_open, cuda_bonded_open,  cuda_clusters_open, cuda_forces_open, cuda_sums_open,
    cuda_external_open, cuda_teams_open,   cuda_biases_open};

/* 1 if the rank has so many beads that the host can wait for the search for unlisted pairs in a
   step and still submit the next step in time. On one rank the limit is higher, since smaller
   systems are faster with CUDA graphs, which exclude this. */
static int has_early_notify(const struct backend_config *c)
{
  return c->n_total / c->ranks > (c->ranks > 1 ? NOTIFIED_BEADS : NOTIFIED_BEADS_ALONE);
}

static struct backend *create(const struct backend_config *config)
{
  struct gpu *c = alloc_array(1, sizeof *c);
  c->base.ops = &backend_cuda;
  c->base.channel = &c->channel;
  c->base.early_notify = has_early_notify(config);
  c->config = *config;
  for (size_t k = 0; k < sizeof open_all / sizeof *open_all; k++)
    open_all[k](c);
  cuda_reserve(c, 1);
  CUDA(cudaDeviceSynchronize());
  return &c->base;
}

static void destroy(struct backend *b)
{
  struct gpu *c = gpu_of(b);
  if (!b) return;
  CUDA(cudaDeviceSynchronize());
  cuda_graphs_close(c);
  cuda_streams_close(c);
  cuda_memory_close(c);
  free(c);
}

static void load(struct backend *b, int n, const int64_t *id, const struct beads *from)
{
  struct gpu *c = gpu_of(b);
  struct beads source = *from;
  b->n = b->n_halo = 0;
  cuda_reserve(c, n);
  b->n = n;
  if (n == 0) return;
  struct beads beads = c->arrays->beads;
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & MIGRATE)
      CUDA_TO_DEVICE(c, *beads_field(&beads, f), *beads_field(&source, f),
                     (size_t)n * field_bytes(f));
  CUDA_TO_DEVICE(c, c->arrays->id, id, (size_t)n * sizeof *id);
  cuda_fields_fix(c, n, from);
  cuda_update_pair_records(c, 0, n, c->streams->main);
  CUDA(cudaStreamSynchronize(c->streams->main));
  cuda_clusters_load(c);
  cuda_teams_find(c);
}

static void store(struct backend *b, int64_t *id, struct beads *to)
{
  struct gpu *c = gpu_of(b);
  if (b->n == 0) return;
  cuda_apply_pending_kick(c);
  struct beads beads = c->arrays->beads;
  for (int f = 0; f < FIELDS; f++)
    if ((field_info[f].flags & MIGRATE) && *beads_field(to, f))
      CUDA_TO_HOST(c, *beads_field(to, f), *beads_field(&beads, f), (size_t)b->n * field_bytes(f));
  CUDA_TO_HOST(c, id, c->arrays->id, (size_t)b->n * sizeof *id);
  cuda_report_read(c);
}

static void forces(struct backend *b, double *f, double *t)
{
  struct gpu *c = gpu_of(b);
  cuda_apply_pending_spread(c);
  const size_t bytes = 3 * (size_t)b->n * sizeof *f;
  if (bytes) {
    CUDA_TO_HOST(c, f, c->arrays->force, bytes);
    memset(t, 0, bytes);
    if (c->types->rotates) CUDA_TO_HOST(c, t, c->arrays->torque, bytes);
  }
  cuda_report_read(c);
}

static int64_t drain(struct backend *b, struct sums *out)
{
  struct gpu *c = gpu_of(b);
  if (out)
    cuda_sums(b, out);
  else
    cuda_report_read(c);
  const int64_t expired = cuda_report_resume(c);
  if (expired == 0) return -1;
  cuda_step_back(c, expired);
  return expired;
}

static const struct async_ops async = {
    .bins_wait = cuda_bins_wait,
    .gather_begin = cuda_gather_begin,
    .search_unlisted = cuda_search_unlisted,
    .lists_agreed = cuda_lists_agreed,
    .poll_expired = cuda_poll_expired,
    .drain = drain,
    .resume = cuda_resume,
    .coupling_sums = cuda_coupling_sums,
    .couple = cuda_couple,
    .coupling_state = cuda_coupling_state,
    .batch_begin = cuda_batch_begin,
    .batch_launch = cuda_batch_launch,
};

static const struct minimise_ops minimise = {
    .save_positions = cuda_save_positions,
    .restore_positions = cuda_restore_positions,
    .descend = cuda_descend,
    .largest_force = cuda_largest_force,
};

const struct backend_ops backend_cuda = {
    .name = "cuda",
    .probe = cuda_probe,
    .create = create,
    .destroy = destroy,
    .describe = cuda_describe,
    .load = load,
    .store = store,
    .set_box = cuda_set_box,
    .build_begin = cuda_build_begin,
    .extent = cuda_extent,
    .histogram = cuda_histogram,
    .pack_migrants = cuda_pack_migrants,
    .unpack_migrants = cuda_unpack_migrants,
    .sort = cuda_build_sort,
    .halo_select = cuda_halo_select,
    .halo_bytes = cuda_halo_bytes,
    .halo_pack = cuda_halo_pack,
    .halo_unpack = cuda_halo_unpack,
    .build = cuda_build,
    .count_apart = cuda_count_apart,
    .integrate_first_half = cuda_integrate_first_half,
    .displacement2 = cuda_displacement2,
    .force = cuda_force,
    .integrate_second_half = cuda_integrate_second_half,
    .accumulate = cuda_accumulate,
    .gather = cuda_gather,
    .apply = cuda_apply,
    .external_work = cuda_external_work,
    .forces = forces,
    .memory = cuda_memory_uses,
    .async = &async,
    .minimise = &minimise,
    .bias = &cuda_bias_ops,
};
