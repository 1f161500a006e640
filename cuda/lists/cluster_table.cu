/* The clusters of the owned beads as local indices, found at list builds; and how far they reach.
 */
#include "cuda/lists/clusters.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cuda/lists/ids.cuh"
#include "cuda/runtime/graphs.h"
#include "cuda/runtime/memory.h"
#include "dynamics/cluster_equations.h"

enum { CLUSTERS_SMALL_MOST = 16 /* most beads, and most constraints, of a small cluster */ };

static const char *const use = "clusters";

/* Argument of the kernels that find clusters; arrays are device memory. */
struct cluster_search {
  int n;
  struct cuda_ids ids;
  const int64_t *id;
  const int32_t *env;
  struct gpu_clusters to;
  struct cuda_report *report;
};

/* Entry k of the clusters of a size. */
DEVICE int *entry_of(const struct gpu_clusters_of &of, int64_t k)
{
  return of.entry + k * (1 + of.most_beads);
}

/* Local index of the lead bead of the cluster of type t with first bead i. */
DEVICE int lead_of(const struct cluster_search &s, const struct cluster_type *t, int i)
{
  const int found = id_index(s.ids, s.id[i] + t->offset[t->lead]);
  return found < 0 ? i : found;
}

/* Writes bead m of the cluster of type t with first bead i to its entry, and the lead bead to
   s.to.lead. entry NULL: there is no room for it. */
DEVICE void bead_enter(const struct cluster_search &s, const struct cluster_type *t, int i,
                       int lead, int m, int *entry)
{
  int j = id_index(s.ids, s.id[i] + t->offset[m]);
  if (j < 0 || j >= s.n) { /* impossible: the rank has the whole cluster */
    if (fault_is_first(&s.report->broken)) {
      s.report->broken.bead = s.id[i];
      s.report->broken.other = s.id[i] + t->offset[m];
    }
    j = i;
  } else {
    s.to.lead[j] = lead;
  }
  if (entry) entry[1 + m] = j;
}

/* One thread per owned bead; that of the first bead of a cluster appends the cluster. The order
   does not matter. Of a cluster with sparse equations only the first bead is written. */
static __global__ void clusters_enter(const __grid_constant__ struct cluster_search s)
{
  const int64_t i = thread_index();
  if (i >= s.n) return;
  const int env = s.env[i], type = env < 0 ? -1 : s.to.cluster_of[env];
  if (type < 0) s.to.lead[i] = -1;
  if (type < 0 || s.to.place_of[env] != 0) return;
  const struct cluster_type *t = &s.to.type[type];
  const int size = s.to.size_of[type];
  const int k = atomicAdd(&s.report->clusters[size], 1);
  int *entry = k < s.to.of[size].room ? entry_of(s.to.of[size], k) : NULL;
  if (entry) entry[0] = type;
  const int end = size < CLUSTERS_SPARSE ? t->n_beads : 1, lead = lead_of(s, t, (int)i);
  for (int m = 0; m < end; m++)
    bead_enter(s, t, (int)i, lead, m, entry);
}

/* One block per cluster with sparse equations, as far as there is room, writes its other beads. */
static __global__ void clusters_complete(const __grid_constant__ struct cluster_search s, int size)
{
  int *entry = entry_of(s.to.of[size], blockIdx.x);
  if ((int)blockIdx.x >= s.report->clusters[size]) return;
  const struct cluster_type *t = &s.to.type[entry[0]];
  const int first = entry[1], lead = lead_of(s, t, first);
  for (int m = 1 + (int)threadIdx.x; m < t->n_beads; m += THREADS)
    bead_enter(s, t, first, lead, m, entry);
}

void cuda_clusters_find(struct gpu *c, cudaStream_t stream)
{
  struct cluster_search s;
  if (!c->clusters->lead) return;
  s.n = c->base.n;
  s.ids = c->bonded->ids;
  s.id = c->arrays->id;
  s.env = c->arrays->beads.bonded_env;
  s.to = *c->clusters;
  s.report = c->reports->device;
  LAUNCH_ON(stream, clusters_enter, s.n, THREADS, s);
  for (int size = CLUSTERS_SPARSE; size < CLUSTERS_SIZES; size++)
    LAUNCH_ON(stream, clusters_complete, (int64_t)s.to.of[size].room * THREADS, THREADS, s, size);
}

int cuda_clusters_read(struct gpu *c)
{
  int again = 0;
  for (int size = 0; size < CLUSTERS_SIZES; size++) {
    struct gpu_clusters_of *of = &OWN(gpu_clusters, c->clusters)->of[size];
    of->n = c->reports->host->clusters[size];
    if (of->n <= of->room) continue;
    again = 1;
    of->room = of->n + of->n / 8;
    cuda_grow(c, &of->entry, (int64_t)of->room * (1 + of->most_beads) * (int64_t)sizeof *of->entry,
              0, use);
    if (size != CLUSTERS_SMALL)
      cuda_grow(c, &of->work, (int64_t)of->room * of->most_work * (int64_t)sizeof *of->work, 0,
                use);
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
  struct gpu *c = gpu_of(b);
  unsigned long long most = 0, *device;
  if (!c->clusters->lead) return 0;
  device = (unsigned long long *)cuda_scratch(c, (int64_t)sizeof most);
  CUDA_CLEAR(c, device, sizeof most);
  LAUNCH(extent_find, b->n, THREADS, c, b->n, c->clusters->lead, c->arrays->beads.build_position,
         axis, device);
  CUDA_TO_HOST(c, &most, device, sizeof most);
  CUDA(cudaStreamSynchronize(c->streams->main));
  return (int64_t)most;
}

/* Replaces an array of n elements, *p, by its copy in device memory. */
template <class T> static void to_device(struct gpu *c, T **p, int64_t n)
{
  CUDA_UPLOAD(c, p, *p, n, use);
}

static void pattern_upload(struct gpu *c, struct cluster_pattern *p, int n_constraints)
{
  if (p->n_levels == 0) return;
  to_device(c, &p->level, p->n_levels + 1);
  to_device(c, &p->column, n_constraints + 1);
  to_device(c, &p->row_of, p->n_entries);
  to_device(c, &p->column_of, p->n_entries);
  to_device(c, &p->row, n_constraints + 1);
  to_device(c, &p->in_row, p->n_entries);
}

/* Uploads the virtual sites of cluster type `from` to its copy t, whose arrays parent and value are
   in device memory: the pointers of sites are changed to point there. */
static void sites_upload(struct gpu *c, struct cluster_type *t, const struct cluster_type *from)
{
  struct ff_site *site = (struct ff_site *)alloc_array(t->n_sites, sizeof *site);
  for (int k = 0; k < t->n_sites; k++) {
    site[k] = from->site[k];
    site[k].from = t->parent + (site[k].from - from->parent);
    site[k].value = t->value + (site[k].value - from->value);
  }
  CUDA_UPLOAD(c, &t->site, site, t->n_sites, use);
  free(site);
}

/* A copy of a cluster type whose arrays are device memory. */
static struct cluster_type type_upload(struct gpu *c, const struct cluster_type *from)
{
  struct cluster_type t = *from;
  const int64_t n = t.n_constraints;
  to_device(c, &t.offset, t.n_beads);
  to_device(c, &t.walk, 2 * (t.n_beads - 1));
  to_device(c, &t.inverse_mass, t.n_beads);
  to_device(c, &t.constraint, n);
  to_device(c, &t.row, t.n_beads + 1);
  to_device(c, &t.incident, 2 * n);
  pattern_upload(c, &t.pattern, t.n_constraints);
  to_device(c, &t.shared, t.pattern.n_levels > 0 ? n + t.pattern.n_entries : n * n);
  to_device(c, &t.parent, t.n_parents);
  to_device(c, &t.value, t.n_values);
  to_device(c, &t.role_row, t.n_beads + 1);
  to_device(c, &t.role, t.n_parents);
  sites_upload(c, &t, from);
  return t;
}

static int size_of_type(const struct cluster_type *t)
{
  int size = CLUSTERS_SPARSE;
  if (t->n_beads <= CLUSTERS_SMALL_MOST && t->n_constraints <= CLUSTERS_SMALL_MOST)
    return CLUSTERS_SMALL;
  if (t->n_beads <= CLUSTER_FULL_BEADS) return CLUSTERS_LARGE;
  for (int most = 2 * CLUSTER_FULL_BEADS; t->n_beads > most; most *= 2)
    size++;
  return size;
}

/* Working memory of a cluster, in doubles, in device memory unless it is small: vectors and matrix;
   with sparse equations the beads too, which are in shared memory otherwise. */
static int work_of(const struct cluster_type *t, int size)
{
  const int bead = (int)((sizeof(struct body) + sizeof(struct body_type *)) / sizeof(double));
  return cluster_room(t) + (size >= CLUSTERS_SPARSE ? t->n_beads * bead : 0);
}

void cuda_clusters_open(struct gpu *c)
{
  const struct forcefield *ff = c->config.ff;
  const struct topology *t = c->config.topology;
  struct gpu_clusters *to = NEW_STATE(gpu_clusters, c, clusters);
  if (!topology_has_clusters(t)) return;
  struct cluster_type *type = (struct cluster_type *)alloc_array(ff->n_clusters, sizeof *type);
  unsigned char *size_of = (unsigned char *)alloc_array(ff->n_clusters, 1);
  for (int k = 0; k < ff->n_clusters; k++) {
    const struct cluster_type *from = &ff->cluster[k];
    const int size = size_of_type(from);
    struct gpu_clusters_of *of = &to->of[size];
    size_of[k] = (unsigned char)size;
    if (from->n_beads > of->most_beads) of->most_beads = from->n_beads;
    if (work_of(from, size) > of->most_work) of->most_work = work_of(from, size);
    to->sites |= from->n_sites > 0;
    type[k] = type_upload(c, from);
  }
  CUDA_UPLOAD(c, &to->type, type, ff->n_clusters, use);
  CUDA_UPLOAD(c, &to->size_of, size_of, ff->n_clusters, use);
  CUDA_UPLOAD(c, &to->cluster_of, t->cluster, t->n_envs, use);
  CUDA_UPLOAD(c, &to->place_of, t->place, t->n_envs, use);
  free(type);
  free(size_of);
  cuda_per_bead(c, &to->lead, sizeof *to->lead, 1, 0, "lead bead of its cluster");
  if (to->sites)
    cuda_per_bead(c, &to->site_force, 3 * sizeof *to->site_force, 0, 0, "force on sites");
  cuda_depends(c, GRAPH_STEPS | GRAPH_BUILDS, to, sizeof *to);
}
