/* Migration of beads to other ranks, and the histogram for load balancing. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "cuda/comm/comm.h"
#include "cuda/lists/clusters.h"
#include "cuda/lists/sort.h"
#include "cuda/runtime/device.cuh"
#include "cuda/runtime/memory.h"

/* Written by comm/migrate.cu. */
struct gpu_migration {
  uint32_t *packed; /* device memory: records of beads that migrate to other ranks */
  /* Bounds of the regions along both cuts, box / 2^32: [n_bounds] in device memory, for kernels,
     and a copy in pinned host memory. */
  uint64_t *bound, *host_bound;
  int64_t n_bounds;
  int *counts; /* [ranks + 1], pinned: migrants to each rank, and to all */
};

static __global__ void count_bins(int n, const __grid_constant__ struct domain d, int cut, int bins,
                                  const int32_t *position, unsigned long long *count)
{
  int64_t i = thread_index();
  if (i < n) atomicAdd(&count[domain_bin(&d, cut, position + 3 * i, bins)], 1ull);
}

void cuda_histogram(struct backend *b, const struct domain *d, int cut, int bins, int64_t *count)
{
  struct gpu *c = gpu_of(b);
  size_t bytes = (size_t)bins * sizeof(unsigned long long);
  unsigned long long *device = (unsigned long long *)cuda_scratch(c, (int64_t)bytes);
  int64_t *host = (int64_t *)alloc_array(bins, sizeof *host);
  CUDA_CLEAR(c, device, bytes);
  LAUNCH(count_bins, b->n, THREADS, c, b->n, *d, cut, bins, c->arrays->beads.build_position,
         device);
  CUDA_TO_HOST(c, host, device, bytes);
  CUDA(cudaStreamSynchronize(c->streams->main));
  for (int k = 0; k < bins; k++)
    count[k] += host[k];
  free(host);
}

/* A bead that migrates: local index, destination rank, index among the migrants to that rank. */
struct migrant {
  int bead, to, number;
};

/* Lists the beads that other ranks own, in any order: ranks sort what they receive. count[r]:
   migrants to rank r; count[n_ranks]: all. lead: lead bead of the cluster of a bead, which migrates
   as a whole, or -1; NULL: no clusters. d.cut[].bound: device memory. */
static __global__ void migrants_find(int n, const __grid_constant__ struct domain d,
                                     const int32_t *position, const int *lead,
                                     struct migrant *migrant, int *count)
{
  const int64_t i = thread_index();
  if (i >= n) return;
  const int32_t *at = position + 3 * (lead && lead[i] >= 0 ? (int64_t)lead[i] : i);
  if (domain_is_own(&d, at)) return;
  struct migrant l;
  l.bead = (int)i;
  l.to = domain_owner(&d, at);
  l.number = atomicAdd(&count[l.to], 1);
  migrant[atomicAdd(&count[d.n_ranks], 1)] = l;
}

static __global__ void migrants_order(int n_ranks, const struct migrant *migrant, const int *count,
                                      int *order)
{
  const int64_t k = thread_index();
  if (k >= count[n_ranks]) return;
  int at = migrant[k].number;
  for (int r = 0; r < migrant[k].to; r++)
    at += count[r];
  order[at] = migrant[k].bead;
}

static const char migrants[] = "beads that change rank";

/* A copy of a domain with bounds in device memory. They are uploaded only if they have changed
   since the last build, from pinned memory, so that the host does not wait. */
static struct domain domain_upload(struct gpu *c, const struct domain *from)
{
  struct domain d = *from;
  struct gpu_migration *m = c->migration;
  const int64_t n = d.cut[0].n + 1LL + d.cut[1].n + 1, bytes = n * (int64_t)sizeof *m->bound;
  if (n > m->n_bounds) {
    cuda_pinned(c, &m->host_bound, (size_t)bytes);
    cuda_grow(c, &m->bound, bytes, 0, migrants);
    m->n_bounds = n;
  }
  int changed = 0, at = 0;
  for (int k = 0; k < CUTS; k++) {
    const size_t of_cut = ((size_t)d.cut[k].n + 1) * sizeof *m->bound;
    changed |= memcmp(m->host_bound + at, d.cut[k].bound, of_cut) != 0;
    memcpy(m->host_bound + at, d.cut[k].bound, of_cut);
    d.cut[k].bound = m->bound + at;
    at += d.cut[k].n + 1;
  }
  if (changed) CUDA_TO_DEVICE(c, m->bound, m->host_bound, (size_t)bytes);
  return d;
}

/* Sets c->sorting->order to the migrants by destination rank, and count (host memory) to the number
   for each rank. Returns the number of all. Waits. */
static int migrants_collect(struct gpu *c, const struct domain *host_domain, int64_t *count)
{
  const struct domain d = domain_upload(c, host_domain);
  const int n = c->base.n;
  const size_t bytes = ((size_t)d.n_ranks + 1) * sizeof(int);
  int *counts = (int *)cuda_scratch(c, (int64_t)(bytes + (size_t)n * sizeof(struct migrant)));
  struct migrant *found = (struct migrant *)(counts + d.n_ranks + 1);
  if (!c->migration->counts) cuda_pinned(c, &c->migration->counts, bytes);
  int *host = c->migration->counts, n_migrants;
  CUDA_CLEAR(c, counts, bytes);
  LAUNCH(migrants_find, n, THREADS, c, n, d, c->arrays->beads.build_position, c->clusters->lead,
         found, counts);
  CUDA_TO_HOST(c, host, counts, bytes);
  CUDA(cudaStreamSynchronize(c->streams->main));
  for (int r = 0; r < d.n_ranks; r++)
    count[r] = host[r];
  n_migrants = host[d.n_ranks];
  LAUNCH(migrants_order, n_migrants, THREADS, c, d.n_ranks, found, counts, c->sorting->order);
  return n_migrants;
}

const void *cuda_pack_migrants(struct backend *b, const struct domain *d, int64_t *count,
                               int *record)
{
  struct gpu *c = gpu_of(b);
  *record = cuda_bead_arrays(c, 1).words * 4;
  memset(count, 0, (size_t)d->n_ranks * sizeof *count);
  b->n_halo = 0;
  cuda_domain_set(c, d);
  if (!c->migration) (void)NEW_STATE(gpu_migration, c, migration);
  if (b->n > 0) cuda_beads_left(c, migrants_collect(c, d, count));
  const int n = c->arrays->n_migrated;
  if (n > 0) {
    cuda_grow_more(c, &c->migration->packed, (int64_t)n * *record, migrants);
    cuda_arrays_pack(c, n, c->sorting->order, c->migration->packed);
  }
  cuda_fork(c);
  b->n -= n;
  return c->migration->packed;
}

void cuda_unpack_migrants(struct backend *b, const void *record, int64_t n)
{
  struct gpu *c = gpu_of(b);
  if (b->n + c->arrays->n_migrated + n > INT32_MAX / 4)
    die(STATUS_INPUT, "more than 2^29 beads on one rank; use more ranks");
  if (n == 0) return;
  cuda_join(c);
  if (c->arrays->n_migrated > 0 && b->n + c->arrays->n_migrated + n > c->arrays->room)
    cuda_drop_migrated(c); /* so that the arrays need not grow */
  cuda_reserve(c, b->n + c->arrays->n_migrated + n);
  cuda_arrays_unpack(c, (int)n, b->n + c->arrays->n_migrated, record);
  b->n += (int)n;
}
