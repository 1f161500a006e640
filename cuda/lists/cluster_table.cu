/* The clusters of the owned beads as local indices, found at list builds; and how far they reach.
 */
#include "cuda/lists/lists.h"
#include "cuda/runtime/device.cuh"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

struct cluster_search {
  int n;
  struct cuda_ids ids;
  const int64_t *id;
  const int32_t *env;
  const int *cluster_of, *place_of; /* of an environment */
  const struct cluster_type *type;
  const unsigned char *size_of; /* of a type: enum cluster_size */
  int *entry[CLUSTERS_SIZES];
  int stride[CLUSTERS_SIZES], room[CLUSTERS_SIZES];
  int *lead;
  struct cuda_report *report;
};

/* A thread for each bead; the first bead of a cluster enters it, in any order: nothing depends on
   it. */
static __global__ void clusters_enter(const __grid_constant__ struct cluster_search s)
{
  const int64_t i = thread_index();
  if (i >= s.n) return;
  const int env = s.env[i], type = env < 0 ? -1 : s.cluster_of[env];
  if (type < 0) s.lead[i] = -1;
  if (type < 0 || s.place_of[env] != 0) return;
  const struct cluster_type *t = &s.type[type];
  const int size = s.size_of[type];
  const int k = atomicAdd(&s.report->clusters[size], 1);
  int *entry = s.entry[size] + (int64_t)k * s.stride[size];
  const int fits = k < s.room[size], found = id_index(s.ids, s.id[i] + t->offset[t->lead]),
            lead = found < 0 ? (int)i : found;
  if (fits) entry[0] = type;
  for (int m = 0; m < t->n_beads; m++) {
    const int j = id_index(s.ids, s.id[i] + t->offset[m]);
    if (j < 0 || j >= s.n) { /* cannot be: the cluster is on this rank as a whole */
      if (fault_take(&s.report->broken)) {
        s.report->broken.bead = s.id[i];
        s.report->broken.other = s.id[i] + t->offset[m];
      }
      if (fits) entry[1 + m] = (int)i;
      continue;
    }
    if (fits) entry[1 + m] = j;
    s.lead[j] = lead;
  }
}

void cuda_clusters_find(struct gpu *c)
{
  struct gpu_clusters *to = &c->clusters;
  struct cluster_search s;
  if (!to->lead) return;
  s.n = c->base.n;
  s.ids = c->bonded.ids;
  s.id = c->arrays.id;
  s.env = c->arrays.beads.bonded_env;
  s.cluster_of = to->cluster_of;
  s.place_of = to->place_of;
  s.type = to->type;
  s.size_of = to->size_of;
  s.lead = to->lead;
  s.report = c->reports.device;
  for (int size = 0; size < CLUSTERS_SIZES; size++) {
    s.entry[size] = to->of[size].entry;
    s.stride[size] = 1 + to->of[size].most_beads;
    s.room[size] = to->of[size].room;
  }
  LAUNCH(clusters_enter, s.n, THREADS, c, s);
}

int cuda_clusters_read(struct gpu *c)
{
  int again = 0;
  for (int size = 0; size < CLUSTERS_SIZES; size++) {
    struct gpu_clusters_of *of = &c->clusters.of[size];
    of->n = c->reports.host->clusters[size];
    if (of->n <= of->room) continue;
    again = 1;
    of->room = of->n + of->n / 8;
    cuda_grow(c, (void **)&of->entry, &of->entry_bytes,
              (int64_t)of->room * (1 + of->most_beads) * (int64_t)sizeof *of->entry, 0, "clusters");
    if (size == CLUSTERS_LARGE)
      cuda_grow(c, (void **)&of->work, &of->work_bytes,
                (int64_t)of->room * of->most_work * (int64_t)sizeof *of->work, 0, "clusters");
  }
  return again;
}

static __global__ void extent_find(int n, const int *lead, const int32_t *position, int axis,
                                   unsigned long long *most)
{
  const int64_t i = thread_index();
  unsigned long long d = 0;
  if (i < n && lead[i] >= 0) {
    const int64_t way =
        torus_difference(position[3 * i + axis], position[3 * (int64_t)lead[i] + axis]);
    d = (unsigned long long)(way < 0 ? -way : way);
  }
  warp_max(d, most);
}

int64_t cuda_extent(struct backend *b, int axis)
{
  struct gpu *c = (struct gpu *)b;
  unsigned long long most = 0, *device;
  if (!c->clusters.lead) return 0;
  device = (unsigned long long *)cuda_scratch(c, (int64_t)sizeof most);
  CUDA(cudaMemsetAsync(device, 0, sizeof most, c->streams.main));
  LAUNCH(extent_find, b->n, THREADS, c, b->n, c->clusters.lead, c->arrays.beads.build_position,
         axis, device);
  CUDA(cudaMemcpyAsync(&most, device, sizeof most, cudaMemcpyDeviceToHost, c->streams.main));
  CUDA(cudaStreamSynchronize(c->streams.main));
  return (int64_t)most;
}

/* A copy of a cluster type whose arrays are device memory. */
static struct cluster_type type_upload(struct gpu *c, const struct cluster_type *from)
{
  struct cluster_type t = *from;
  t.offset = (int *)cuda_uploaded(c, t.offset, t.n_beads * (int64_t)sizeof *t.offset, "clusters");
  t.inverse_mass = (double *)cuda_uploaded(c, t.inverse_mass,
                                           t.n_beads * (int64_t)sizeof *t.inverse_mass, "clusters");
  t.constraint = (struct cluster_constraint *)cuda_uploaded(
      c, t.constraint, t.n_constraints * (int64_t)sizeof *t.constraint, "clusters");
  t.row = (int *)cuda_uploaded(c, t.row, (t.n_beads + 1) * (int64_t)sizeof *t.row, "clusters");
  t.incident = (int *)cuda_uploaded(c, t.incident,
                                    2 * t.n_constraints * (int64_t)sizeof *t.incident, "clusters");
  t.shared = (double *)cuda_uploaded(
      c, t.shared, (int64_t)t.n_constraints * t.n_constraints * (int64_t)sizeof *t.shared,
      "clusters");
  t.site =
      (struct ff_site *)cuda_uploaded(c, t.site, t.n_sites * (int64_t)sizeof *t.site, "clusters");
  return t;
}

void cuda_clusters_open(struct gpu *c)
{
  const struct forcefield *ff = c->config.ff;
  const struct topology *t = c->config.topology;
  struct gpu_clusters *to = &c->clusters;
  if (!topology_has_clusters(t)) return;
  struct cluster_type *type = (struct cluster_type *)alloc_array(ff->n_clusters, sizeof *type);
  unsigned char *size_of = (unsigned char *)alloc_array(ff->n_clusters, 1);
  for (int k = 0; k < ff->n_clusters; k++) {
    const struct cluster_type *from = &ff->cluster[k];
    const int small =
        from->n_beads <= CLUSTERS_SMALL_MOST && from->n_constraints <= CLUSTERS_SMALL_MOST;
    struct gpu_clusters_of *of = &to->of[small ? CLUSTERS_SMALL : CLUSTERS_LARGE];
    size_of[k] = (unsigned char)(small ? CLUSTERS_SMALL : CLUSTERS_LARGE);
    if (from->n_beads > of->most_beads) of->most_beads = from->n_beads;
    if (cluster_room(from) > of->most_work) of->most_work = cluster_room(from);
    to->sites |= from->n_sites > 0;
    type[k] = type_upload(c, from);
  }
  to->n_types = ff->n_clusters;
  to->host_type = type;
  to->type = (struct cluster_type *)cuda_uploaded(c, type, ff->n_clusters * (int64_t)sizeof *type,
                                                  "clusters");
  to->size_of = (unsigned char *)cuda_uploaded(c, size_of, ff->n_clusters, "clusters");
  to->cluster_of =
      (int *)cuda_uploaded(c, t->cluster, t->n_envs * (int64_t)sizeof *t->cluster, "clusters");
  to->place_of =
      (int *)cuda_uploaded(c, t->place, t->n_envs * (int64_t)sizeof *t->place, "clusters");
  to->present = 1;
  free(size_of);
}

void cuda_clusters_close(struct gpu *c)
{
  struct gpu_clusters *to = &c->clusters;
  for (int k = 0; k < to->n_types; k++) {
    const struct cluster_type *t = &to->host_type[k];
    void *all[] = {t->offset,   t->inverse_mass, t->constraint, t->row,
                   t->incident, t->shared,       t->site};
    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++)
      CUDA(cudaFree(all[m]));
  }
  void *rest[] = {to->type,        to->size_of,    to->cluster_of,  to->place_of,  to->lead,
                  to->of[0].entry, to->of[0].work, to->of[1].entry, to->of[1].work};
  for (size_t k = 0; k < sizeof rest / sizeof rest[0]; k++)
    CUDA(cudaFree(rest[k]));
  free(to->host_type);
}
