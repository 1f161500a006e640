/* The CUDA backend: the beads of a rank on one GPU. This file: the table of operations, creation
   and destruction, copies to and from the host, draining, and the order of the force passes. */
#include "cuda/comm/comm.h"
#include "cuda/graph.h"
#include "cuda/lists/build_graph.h"
#include "cuda/lists/lists.h"
#include "cuda/step/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cuda/runtime/lanes.h"
#include "input/param.h"

extern const struct backend_ops backend_cuda;

static struct gpu *of(struct backend *b)
{
  return (struct gpu *)b;
}

static void devices_list(int n, char *out, size_t size)
{
  struct cudaDeviceProp prop;
  size_t used = 0;
  for (int k = 0; k < n && used < size; k++) {
    if (cudaGetDeviceProperties(&prop, k) != cudaSuccess) continue;
    used += (size_t)snprintf(out + used, size - used,
                             "  GPU %d: %s, compute capability %d.%d, %.0f GiB\n", k, prop.name,
                             prop.major, prop.minor, (double)prop.totalGlobalMem / 1073741824.0);
  }
}

static void probe(struct backend_probe *out)
{
  int devices = 0;
  cudaError_t error = cudaGetDeviceCount(&devices);
  out->usable = error == cudaSuccess && devices > 0;
  if (out->usable && out->list_devices) devices_list(devices, out->devices, sizeof out->devices);
  if (out->usable) return;
  (void)cudaGetLastError();
  snprintf(out->why, sizeof out->why, "no GPU is usable: %s",
           error == cudaSuccess ? "none is visible (CUDA_VISIBLE_DEVICES?)"
                                : cudaGetErrorString(error));
}

/* 1 if a step takes so long that the host can wait for the result of the search and still submit
   the next step in time. On one rank the limit is higher, since graphs are faster for smaller
   systems. Measured on an H200 (docs/decisions.md). */
static int has_early_notify(const struct backend_config *c)
{
  return c->ranks > 1 ? c->n_total / c->ranks > 50000 : c->n_total > 200000;
}

/* Graphs of chained launches need a driver for CUDA 12.3. */
static void limits_set(struct gpu_limits *l, const struct cudaDeviceProp *prop)
{
  int driver;
  CUDA(cudaDriverGetVersion(&driver));
  l->multiprocessors = prop->multiProcessorCount;
  l->shared_bytes = (int)prop->sharedMemPerMultiprocessor;
  l->chained = prop->major >= 9 && driver >= 12030;
}

static void device_open(struct gpu *c)
{
  struct cudaDeviceProp prop;
  int devices;
  CUDA(cudaGetDeviceCount(&devices));
  int device = c->config.device % devices;
  CUDA(cudaSetDevice(device));
  CUDA(cudaGetDeviceProperties(&prop, device));
  limits_set(&c->limits, &prop);
  int least, first;
  CUDA(cudaDeviceGetStreamPriorityRange(&least, &first));
  CUDA(cudaStreamCreateWithFlags(&c->streams.main, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithPriority(&c->streams.side, cudaStreamNonBlocking, first));
  CUDA(cudaEventCreateWithFlags(&c->streams.main_event, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&c->streams.side_event, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&c->streams.halo_event, cudaEventDisableTiming));
  /* Stored in state files: equal for all ranks and for devices of the same model. */
  snprintf(c->description, sizeof c->description, "cuda, %s_sm%d%d on %s",
           c->config.precision == PRECISION_DOUBLE ? "double" : "mixed", prop.major, prop.minor,
           prop.name);
}

static void *uploaded(struct gpu *c, const void *from, int64_t bytes)
{
  return cuda_uploaded(c, from, bytes, "the topology");
}

static double *rest_upload(struct gpu *c)
{
  const struct forcefield *ff = c->config.ff;
  const int n = forcefield_bonded(ff, SECTIONS, 0);
  double *rest = alloc_array(n, sizeof *rest);
  for (int s = 0; s < SECTIONS; s++)
    for (int k = 0; k < ff->bonded[s].n; k++)
      rest[forcefield_bonded(ff, s, k)] = forcefield_rest(ff, s, k);
  double *to = uploaded(c, rest, n * (int64_t)sizeof *rest);
  free(rest);
  return to;
}

/* The terms with their types numbered among those of all sections, without constraints, which have
   no force of their own. */
static void terms_upload(struct gpu *c)
{
  const struct topology *t = c->config.topology;
  struct topology_term *term = alloc_array(t->term_start[t->n_envs], sizeof *term);
  int *start = alloc_array(t->n_envs + 1LL, sizeof *start), n = 0;
  for (int env = 0; env < t->n_envs; env++) {
    for (int k = t->term_start[env]; k < t->term_start[env + 1]; k++) {
      const struct topology_term *from = &t->term[k];
      if (forcefield_is_constraint(c->config.ff, from->section, from->type)) continue;
      term[n] = *from;
      term[n++].type = forcefield_bonded(c->config.ff, from->section, from->type);
    }
    start[env + 1] = n;
  }
  c->bonded.term_start = uploaded(c, start, (t->n_envs + 1LL) * (int64_t)sizeof *start);
  c->bonded.term = uploaded(c, term, n * (int64_t)sizeof *term);
  free(start);
  free(term);
}

/* Bits of the forms of the bonded types, without constraints, which have no force of their own. */
static unsigned forms_of(const struct forcefield *ff)
{
  unsigned forms = 0;
  for (int s = 0; s < SECTIONS; s++)
    for (int k = 0; k < ff->bonded[s].n; k++)
      if (!forcefield_is_constraint(ff, s, k)) forms |= 1u << ff->bonded[s].type[k].form;
  return forms;
}

/* 1 if bonded terms have a kernel of their own: in large systems, where one more kernel costs less
   than threads without a term do in the passes, and if a form is none that the passes evaluate. */
static int bonded_are_apart(const struct gpu *c)
{
  enum { LARGE = 50000 }; /* beads of all ranks */
  unsigned in_passes = BONDED_ALL_FORMS;
  for (int p = 0; p < c->config.plan->n_passes; p++)
    in_passes &= pair_set_bonded(c->config.plan->pass[p].set);
  return c->config.n_total >= LARGE || (c->bonded.forms & ~in_passes) != 0;
}

static void topology_upload(struct gpu *c)
{
  const struct topology *t = c->config.topology;
  int64_t n = t->n_envs;
  if (n == 0) return;
  c->bonded.forms = forms_of(c->config.ff);
  c->bonded.apart = bonded_are_apart(c);
  terms_upload(c);
  c->bonded.rest = rest_upload(c);
  c->bonded.exclude_start =
      uploaded(c, t->exclude_start, (n + 1) * (int64_t)sizeof *t->exclude_start);
  c->bonded.exclude = uploaded(c, t->exclude, t->exclude_start[n] * (int64_t)sizeof *t->exclude);
  if (c->config.lipid) c->bonded.lipid = uploaded(c, c->config.lipid, n);
  c->bonded.ids.n_total = c->config.n_total;
  if (t->anchors.n == 0) return;
  c->bonded.anchors = t->anchors;
  c->bonded.anchors.id = uploaded(c, t->anchors.id, t->anchors.n * (int64_t)sizeof *t->anchors.id);
  c->bonded.anchors.place =
      uploaded(c, t->anchors.place, t->anchors.n * (int64_t)sizeof *t->anchors.place);
}

static void *zeroed(struct gpu *c, int64_t bytes)
{
  void *p = NULL;
  int64_t room = 0;
  cuda_grow(c, &p, &room, bytes, 0, "reports");
  CUDA(cudaMemset(p, 0, (size_t)bytes));
  return p;
}

static void lists_set(struct gpu *c)
{
  const struct pair_plan *plan = c->config.plan;
  for (int k = 0; k < plan->n_passes; k++) {
    const struct pair_pass *pass = &plan->pass[k];
    c->list[k].lanes = lanes_of_list(pass->set, pass->cutoff, pass->sigma, c->config.n_total);
    c->list[k].all = pass->all;
    c->list[k].half = CLASSES * plan->n_classes + !pass->all;
  }
}

static struct backend *create(const struct backend_config *config)
{
  struct gpu *c = alloc_array(1, sizeof *c);
  c->base.ops = &backend_cuda;
  c->base.channel = &c->channel;
  c->base.early_notify = has_early_notify(config);
  c->config = *config;
  device_open(c);
  c->channel.stream = c->streams.side;
  c->coefficients.kernel =
      config->precision == PRECISION_DOUBLE ? &force_cuda_double : &force_cuda_mixed;
  c->arrays.axis_bytes = c->coefficients.kernel->axis_bytes;
  c->coefficients.model = c->coefficients.kernel->model_create(c);
  lists_set(c);
  topology_upload(c);
  cuda_clusters_open(c);
  cuda_external_open(c);
  cuda_baths_open(c);
  c->reports.device = zeroed(c, sizeof *c->reports.device);
  c->channel.flag_local = &c->reports.device->expired_local;
  c->channel.flag_global = &c->reports.device->expired_agreed;
  c->sums.forces = zeroed(c, 4 * sizeof *c->sums.forces);
  c->sums.motion = c->sums.forces + 1;
  c->sums.all = c->sums.forces + 2;
  c->sums.spare = c->sums.forces + 3;
  CUDA(cudaMallocHost((void **)&c->reports.host, sizeof *c->reports.host));
  CUDA(cudaMallocHost((void **)&c->sums.host, sizeof *c->sums.host));
  CUDA(cudaMallocHost((void **)&c->reports.progress, sizeof *c->reports.progress));
  memset(c->reports.host, 0, sizeof *c->reports.host);
  memset(c->reports.progress, 0, sizeof *c->reports.progress);
  cuda_reserve(c, 1);
  CUDA(cudaDeviceSynchronize());
  return &c->base;
}

static void destroy(struct backend *b)
{
  struct gpu *c = of(b);
  if (!b) return;
  CUDA(cudaDeviceSynchronize());
  cuda_graphs_free(c);
  cuda_builds_free(c);
  cuda_profile_free(c);
  cuda_external_close(c);
  cuda_baths_close(c);
  cuda_clusters_close(c);
  c->coefficients.kernel->model_destroy(c->coefficients.model);
  struct columns all = cuda_columns(c);
  for (int k = 0; k < all.n; k++) {
    CUDA(cudaFree(all.column[k].data));
    CUDA(cudaFree(all.column[k].spare));
  }
  for (int k = 0; k < PEERS_MOST; k++) {
    CUDA(cudaFree(c->halo.peer[k].send));
    CUDA(cudaFree(c->halo.peer[k].send_axis));
    CUDA(cudaFree(c->halo.peer[k].receive_axis));
  }
  for (int l = 0; l < PAIR_PASSES_MOST; l++) {
    CUDA(cudaFree(c->list[l].place));
    CUDA(cudaFree(c->list[l].head));
    CUDA(cudaFree(c->list[l].index));
  }
  void *rest[] = {
      c->coefficients.type,  c->arrays.record,        c->arrays.axis[0],       c->arrays.axis[1],
      c->sorting.sorted,     c->sorting.key,          c->sorting.key_sorted,   c->sorting.value,
      c->sorting.order,      c->arrays.force,         c->arrays.torque,        c->sorting.flag,
      c->sorting.group,      c->sorting.group_sorted, c->sorting.start,        c->bonded.row,
      c->bonded.entry,       c->bonded.ids.index,     c->bonded.ids.slot,      c->bonded.rest,
      c->bonded.term_start,  c->bonded.term,          c->bonded.exclude_start, c->bonded.exclude,
      c->reports.device,     c->sums.forces,          c->memory.scratch,       c->halo.migrants,
      c->bonded.anchors.id,  c->bonded.anchors.place, c->arrays.bath,          c->coupling.device,
      c->halo.bounds.device, c->bonded.lipid};
  for (size_t k = 0; k < sizeof rest / sizeof rest[0]; k++)
    CUDA(cudaFree(rest[k]));
  free(c->coupling.host);
  CUDA(cudaFreeHost(c->reports.host));
  CUDA(cudaFreeHost(c->sums.host));
  CUDA(cudaFreeHost(c->reports.progress));
  CUDA(cudaFreeHost(c->halo.bounds.host));
  CUDA(cudaFreeHost(c->halo.counts));
  CUDA(cudaStreamDestroy(c->streams.main));
  CUDA(cudaStreamDestroy(c->streams.side));
  CUDA(cudaEventDestroy(c->streams.main_event));
  CUDA(cudaEventDestroy(c->streams.side_event));
  CUDA(cudaEventDestroy(c->streams.halo_event));
  free(c);
}

static const char *describe(const struct backend *b)
{
  return ((const struct gpu *)b)->description;
}

static void load(struct backend *b, int n, const int64_t *id, const struct beads *from)
{
  struct gpu *c = of(b);
  struct beads source = *from;
  b->n = b->n_halo = 0;
  cuda_reserve(c, n);
  b->n = n;
  if (n == 0) return;
  for (int f = 0; f < FIELDS; f++)
    if (field_info[f].flags & MIGRATE)
      CUDA(cudaMemcpyAsync(*beads_field(&c->arrays.beads, f), *beads_field(&source, f),
                           (size_t)n * field_bytes(f), cudaMemcpyHostToDevice, c->streams.main));
  CUDA(cudaMemcpyAsync(c->arrays.id, id, (size_t)n * sizeof *id, cudaMemcpyHostToDevice,
                       c->streams.main));
  cuda_update_pair_records(c, 0, n);
  CUDA(cudaStreamSynchronize(c->streams.main));
  cuda_clusters_load(c);
  cuda_baths_find(c);
}

static void store(struct backend *b, int64_t *id, struct beads *to)
{
  struct gpu *c = of(b);
  if (b->n == 0) return;
  cuda_apply_pending_kick(c);
  for (int f = 0; f < FIELDS; f++)
    if ((field_info[f].flags & MIGRATE) && *beads_field(to, f))
      CUDA(cudaMemcpyAsync(*beads_field(to, f), *beads_field(&c->arrays.beads, f),
                           (size_t)b->n * field_bytes(f), cudaMemcpyDeviceToHost, c->streams.main));
  CUDA(cudaMemcpyAsync(id, c->arrays.id, (size_t)b->n * sizeof *id, cudaMemcpyDeviceToHost,
                       c->streams.main));
  cuda_report_read(c);
}

static void set_box(struct backend *b, const struct coupling_state *now, const double build_box[3])
{
  struct gpu *c = of(b);
  struct cuda_box box = {*now, {build_box[0], build_box[1], build_box[2]}};
  CUDA(cudaMemcpyAsync(&c->reports.device->box, &box, sizeof box, cudaMemcpyHostToDevice,
                       c->streams.main));
  c->reports.outdated = 1;
  memcpy(c->sorting.build_box, build_box, sizeof c->sorting.build_box);
}

static void displacement2(struct backend *b, double largest[2])
{
  struct gpu *c = of(b);
  cuda_report_read(c);
  for (int k = 0; k < 2; k++)
    memcpy(&largest[k], &c->reports.host->displacement2_bits[c->step.parity], sizeof *largest);
}

static int64_t drain(struct backend *b, struct sums *out)
{
  struct gpu *c = of(b);
  if (out)
    cuda_sums(b, out);
  else
    cuda_report_read(c);
  int64_t expired = (int64_t)c->reports.host->expired_agreed;
  if (expired == 0) return -1;
  const size_t bytes = sizeof c->reports.device->expired_local +
                       sizeof c->reports.device->expired_agreed; /* adjacent members */
  CUDA(cudaMemsetAsync(&c->reports.device->expired_local, 0, bytes, c->streams.main));
  c->reports.progress->expired_agreed = 0;
  c->step.number = (uint64_t)expired;
  c->step.pending_kick = 0;
  c->step.pending_spread = 0;
  return expired;
}

static int poll_expired(struct backend *b)
{
  struct gpu *c = of(b);
  const volatile struct cuda_progress *progress = c->reports.progress;
  const volatile uint64_t *step = b->early_notify ? &progress->valid_step : &progress->begun_step;
  while (*step != c->step.number && progress->expired_agreed == 0) {
    cudaError_t error = cudaStreamQuery(c->streams.main);
    if (error != cudaErrorNotReady) CUDA(error);
  }
  return progress->expired_agreed != 0;
}

/* Beads of a rank from which on the forces of the boundary are concurrent with the interior. With
   fewer the interior has ended when the halo arrives. */
enum { BOUNDARY_BESIDE = 100000 };

/* Boundary beads, after the halo messages: in the side stream; or in main, where the search for
   unlisted pairs in the side stream goes on beside them. With sums always in main, since interior
   and boundary add to the same. Returns 1 if a kernel of them is the last in main. */
static int force_boundary(struct gpu *c, int flags)
{
  const int beside = !flags && c->base.n >= BOUNDARY_BESIDE;
  if (c->base.boundary == 0) {
    cuda_join_if_busy(c);
    return 0;
  }
  if (!beside) cuda_halo_join(c);
  const int begun =
      c->coefficients.kernel->run(c, 1, flags, beside ? c->streams.side : c->streams.main);
  if (!beside) return begun;
  c->streams.side_busy = 1;
  cuda_join(c);
  return 0;
}

/* What is added to the forces of the pair passes. after: 1: chained to them. */
static void force_rest(struct gpu *c, int flags, int after)
{
  c->coefficients.kernel->bonded(c, flags, after);
  cuda_external_add(c, flags != 0);
  cuda_clusters_spread(c, flags != 0);
}

/* 1 if the kernel after the passes may begin before they end. begun: a pass is the last in main. */
static int chains(const struct gpu *c, int begun, int flags)
{
  return c->limits.chained && begun && flags != FORCE_ENERGY;
}

/* On one rank all beads are interior, and the search goes on beside all forces. */
static void force(struct backend *b, enum force_beads beads, int flags)
{
  struct gpu *c = of(b);
  const int alone = c->config.ranks == 1;
  int begun = 0;
  if (flags && beads != FORCE_BOUNDARY)
    CUDA(cudaMemsetAsync(c->sums.forces, 0, sizeof *c->sums.forces, c->streams.main));
  if (beads == FORCE_ALL && !flags) cuda_fork(c);
  if (beads != FORCE_BOUNDARY) begun = c->coefficients.kernel->run(c, 0, flags, c->streams.main);
  if (alone && beads != FORCE_BOUNDARY) force_rest(c, flags, chains(c, begun, flags));
  if (beads == FORCE_INTERIOR) return;
  begun = force_boundary(c, flags);
  c->streams.halo_noted = 0;
  if (!alone) force_rest(c, flags, chains(c, begun, flags));
}

static void forces(struct backend *b, double *f, double *t)
{
  struct gpu *c = of(b);
  cuda_apply_pending_spread(c);
  size_t bytes = 3 * (size_t)b->n * sizeof *f;
  if (bytes) {
    CUDA(cudaMemcpyAsync(f, c->arrays.force, bytes, cudaMemcpyDeviceToHost, c->streams.main));
    memset(t, 0, bytes);
    if (c->coefficients.rotates)
      CUDA(cudaMemcpyAsync(t, c->arrays.torque, bytes, cudaMemcpyDeviceToHost, c->streams.main));
  }
  cuda_report_read(c);
}

static int memory(struct backend *b, struct memory_use *out)
{
  memcpy(out, of(b)->memory.use, sizeof of(b)->memory.use);
  return of(b)->memory.uses;
}

static const struct async_ops async = {
    .bins_wait = cuda_bins_wait,
    .search_unlisted = cuda_search_unlisted,
    .halo_send = cuda_halo_send,
    .halo_receive = cuda_halo_receive,
    .lists_agreed = cuda_lists_agreed,
    .poll_expired = poll_expired,
    .drain = drain,
    .coupling_sums = cuda_coupling_sums,
    .couple = cuda_couple,
    .coupling_state = cuda_coupling_state,
    .batch_begin = cuda_batch_begin,
    .batch_launch = cuda_batch_launch,
};

const struct backend_ops backend_cuda = {
    .name = "cuda",
    .probe = probe,
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .load = load,
    .store = store,
    .set_box = set_box,
    .build_begin = cuda_build_begin,
    .extent = cuda_extent,
    .histogram = cuda_histogram,
    .pack_migrants = cuda_pack_migrants,
    .unpack_migrants = cuda_unpack_migrants,
    .sort = cuda_sort,
    .halo_select = cuda_halo_select,
    .halo_bytes = cuda_halo_bytes,
    .halo_pack = cuda_halo_pack,
    .halo_unpack = cuda_halo_unpack,
    .build = cuda_build,
    .integrate_first_half = cuda_integrate_first_half,
    .displacement2 = displacement2,
    .force = force,
    .integrate_second_half = cuda_integrate_second_half,
    .accumulate = cuda_accumulate,
    .forces = forces,
    .memory = memory,
    .async = &async,
};
