/* Bonded partners as local indices, and which beads need the halo. */
#include "device_cuda.cuh"

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

struct partners {
  int n;
  int64_t n_total;
  const int64_t *id;
  const int32_t *slot;
  const int *local, *term_start;
  const struct topology_term *term;
  int *row, *boundary;
  struct bonded_entry *entry;
  int64_t room; /* entries */
  struct cuda_report *report;
};

static __global__ void locals_set(int n, const int64_t *id, int *local)
{
  int64_t i = thread_index();
  if (i < n) local[id[i]] = (int)i;
}

static __global__ void terms_count(struct partners p)
{
  int64_t i = thread_index();
  if (i > p.n) return;
  int slot = i < p.n ? p.slot[i] : -1;
  p.row[i] = slot < 0 ? 0 : p.term_start[slot + 1] - p.term_start[slot];
}

static __device__ int partner_of(const struct partners &p, int64_t i, int64_t offset)
{
  int64_t id = p.id[i] + offset;
  int j = id >= 1 && id <= p.n_total ? p.local[id] : -1;
  if (j >= p.n) p.boundary[i] = 1;
  if (j >= 0) return j;
  if (fault_take(&p.report->broken)) {
    p.report->broken.bead = p.id[i];
    p.report->broken.other = id;
  }
  return (int)i;
}

static __global__ void terms_fill(struct partners p)
{
  int64_t i = thread_index();
  if (i >= p.n) return;
  if (i == 0) p.report->bonded = p.row[p.n];
  int slot = p.slot[i];
  if (slot < 0) return;
  const struct topology_term *term = p.term + p.term_start[slot];
  for (int k = p.row[i]; k < p.row[i + 1]; k++, term++) {
    struct bonded_entry e;
    e.kind = term->kind;
    e.type = term->type;
    e.role = term->role;
    e.partner[0] = partner_of(p, i, term->partner[0]);
    e.partner[1] = term->kind == TOPOLOGY_ANGLE && term->partner[1] != 0
                       ? partner_of(p, i, term->partner[1])
                       : (int)i;
    if (k < p.room) p.entry[k] = e;
  }
}

void cuda_partners_find(struct gpu *c)
{
  int n = c->base.n, all = n + c->base.n_halo;
  size_t bytes = 0;
  if (!c->local) return;
  if (all < c->config.n_total)
    CUDA(cudaMemsetAsync(c->local, -1, ((size_t)c->config.n_total + 1) * sizeof *c->local,
                         c->stream));
  LAUNCH(locals_set, all, THREADS, c, all, c->id, c->local);
  struct partners p;
  p.n = n;
  p.n_total = c->config.n_total;
  p.id = c->id;
  p.slot = c->beads.slot;
  p.local = c->local;
  p.term_start = c->term_start;
  p.term = c->term;
  p.row = c->bonded_row;
  p.boundary = c->flag;
  p.entry = c->bonded;
  p.room = c->bonded_room / (int64_t)sizeof *c->bonded;
  p.report = c->report;
  LAUNCH(terms_count, n + 1, THREADS, c, p);
  CUDA(cub::DeviceScan::ExclusiveSum(NULL, bytes, c->bonded_row, c->bonded_row, n + 1, c->stream));
  void *scratch = cuda_scratch(c, (int64_t)bytes);
  CUDA(cub::DeviceScan::ExclusiveSum(scratch, bytes, c->bonded_row, c->bonded_row, n + 1,
                                     c->stream));
  LAUNCH(terms_fill, n, THREADS, c, p);
}

struct flag_is {
  const int *flag;
  int value;
  __device__ bool operator()(int i) const { return flag[i] == value; }
};

static void select_flag(struct gpu *c, int value, int *out, int *count)
{
  size_t bytes = 0;
  const flag_is wanted = {c->flag, value};
  thrust::counting_iterator<int> beads(0);
  CUDA(cub::DeviceSelect::If(NULL, bytes, beads, out, count, c->base.n, wanted, c->stream));
  void *scratch = cuda_scratch(c, (int64_t)bytes);
  CUDA(cub::DeviceSelect::If(scratch, bytes, beads, out, count, c->base.n, wanted, c->stream));
}

static __global__ void places_fill(int n, const int *interior, const int *boundary,
                                   const struct cuda_report *report, int *place)
{
  int p = (int)thread_index();
  if (p >= n) return;
  int inside = report->n_interior, outside = report->n_boundary;
  int first = (inside + PLACES_ALIGN - 1) / PLACES_ALIGN * PLACES_ALIGN;
  place[p] = p < inside                          ? interior[p]
             : p >= first && p < first + outside ? boundary[p - first]
                                                 : -1;
}

void cuda_places_set(struct gpu *c)
{
  c->list.n_places = c->base.n;
  c->list.placed = c->base.n > 0 && c->base.n_halo > 0;
  if (!c->list.placed) return;
  c->list.n_places += PLACES_ALIGN;
  select_flag(c, 0, c->interior, &c->report->n_interior);
  select_flag(c, 1, c->boundary, &c->report->n_boundary);
  LAUNCH(places_fill, c->list.n_places, THREADS, c, c->list.n_places, c->interior, c->boundary,
         c->report, c->list.place);
}
