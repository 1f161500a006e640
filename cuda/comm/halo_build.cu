/* The halo of a list build: selection of its beads, and HALO_BUILD messages with a halo_record per
   bead. Packed in streams->side, unpacked in streams->main. */
#include <string.h>

#include "backend/profile_body.h"
#include "cuda/comm/comm.h"
#include "cuda/comm/halo.cuh"
#include "cuda/lists/bonded.h"
#include "cuda/lists/sort.h"
#include "cuda/runtime/memory.h"
#include "cuda/step/step.h"

struct halo_record {
  int64_t id;
  int32_t position[3]; /* of the build, box / 2^32 */
  int32_t type, axis; /* type: with the bit IN_LIPID for beads of lipids; axis: index of its axes in
                         HALO_STEP, -1: none */
};
enum { IN_LIPID = 1 << 30 };
static_assert((int)FF_TYPES_MOST < (int)IN_LIPID, "no type has this bit");

/* Predicate: axes of bead i are sent. After a lost message types are arbitrary until the host finds
   out, hence the comparison with the number of types. */
struct is_oriented {
  int n;
  const int32_t *type;
  const struct cuda_type *types;
  __device__ bool operator()(int i) const
  {
    return (unsigned)type[i] < (unsigned)n && types[type[i]].oriented;
  }
};

static struct is_oriented oriented_of(const struct gpu *c)
{
  const struct is_oriented o = {c->config.ff->n_types, c->arrays->beads.type, c->types->type};
  return o;
}

static struct cuda_peer *peer_of(struct gpu *c, int k)
{
  if (!c->halo) (void)NEW_STATE(gpu_halo, c, halo);
  return &OWN(gpu_halo, c->halo)->peer[k];
}

static void ints_reserve(struct gpu *c, int **p, int n)
{
  const int64_t bytes = n * (int64_t)sizeof **p;
  if (bytes <= cuda_room(c, *p)) return;
  cuda_grow_more(c, p, bytes, "lists of halo beads");
  /* After a lost message entries are never written: 0 is a valid index. */
  CUDA_CLEAR(c, *p, (size_t)cuda_room(c, *p));
}

/* Flags the selected beads as boundary beads, and counts the oriented ones. */
static __global__ void boundary_flag(const int *n, const int *send, struct is_oriented oriented,
                                     int *flag, int *count)
{
  int m = (int)thread_index(), counts = 0;
  if (m - (int)threadIdx.x >= *n) return;
  if (m < *n) {
    flag[send[m]] = 1;
    counts = oriented(send[m]);
  }
  counts = __syncthreads_count(counts);
  if (threadIdx.x == 0 && counts > 0) atomicAdd(count, counts);
}

void cuda_halo_select(struct backend *b, const struct domain *d, struct halo_count *count)
{
  struct gpu *c = gpu_of(b);
  const struct is_oriented oriented = oriented_of(c);
  const size_t bytes =
      sizeof c->reports->device->oriented + sizeof c->reports->device->axes; /* adjacent members */
  memset(count, 0, (size_t)d->n_peers * sizeof *count);
  for (int k = 0; k < PEERS_MOST; k++)
    peer_of(c, k)->n_send = peer_of(c, k)->n_send_axis = peer_of(c, k)->n_receive_axis = 0;
  if (b->n == 0 || d->n_peers == 0) return;
  CUDA_CLEAR(c, c->reports->device->oriented, bytes);
  for (int k = 0; k < d->n_peers; k++) {
    struct cuda_peer *p = peer_of(c, k);
    const struct domain to = domain_with_peer(d, k);
    ints_reserve(c, &p->send, b->n);
    cuda_select_near(c, &to, p->send, &c->reports->device->sent[k]);
    LAUNCH(boundary_flag, b->n, THREADS, c, &c->reports->device->sent[k], p->send, oriented,
           c->sorting->flag, &c->reports->device->oriented[k]);
  }
  cuda_report_read(c);
  for (int k = 0; k < d->n_peers; k++) {
    struct cuda_peer *p = peer_of(c, k);
    count[k].beads = p->n_send = c->reports->host->sent[k];
    count[k].oriented = p->n_send_axis = c->reports->host->oriented[k];
    ints_reserve(c, &p->send_axis, p->n_send_axis);
  }
}

/* Index of this thread's axes in HALO_STEP, or -1 if wanted is 0: consecutive, in any order.
 *count: device memory, axes so far. Warp-collective. */
DEVICE int axis_number(int wanted, int *count)
{
  const unsigned all = __ballot_sync(ALL_LANES, wanted), lane = threadIdx.x % 32;
  int first = 0;
  if (lane == 0 && all) first = atomicAdd(count, __popc(all));
  first = __shfl_sync(ALL_LANES, first, 0);
  return wanted ? first + __popc(all & ((1u << lane) - 1u)) : -1;
}

/* A HALO_BUILD message to a peer. */
struct build_parcel {
  int n;
  const int *send;
  int *axes, *send_axis; /* axes: count of axis_number; send_axis: of struct cuda_peer */
  struct halo_record *to;
};
struct build_parcels {
  struct build_parcel peer[PEERS_MOST];
};

/* A block assembles its records in shared memory and stores them coalesced: the buffer may be in
   the memory of another GPU, where whole cache lines are much faster. */
static __global__ void pack_build(const __grid_constant__ struct build_parcels parcels,
                                  struct is_oriented oriented, const int64_t *id,
                                  const int32_t *position, const int32_t *env,
                                  const unsigned char *lipid,
                                  const __grid_constant__ struct halo_end end)
{
  __shared__ struct halo_record record[THREADS];
  const struct build_parcel &p = parcels.peer[blockIdx.y];
  const int first = (int)(blockIdx.x * THREADS), left = max(p.n - first, 0);
  const int n_here = left < THREADS ? left : THREADS, here = (int)threadIdx.x < n_here;
  const int i = here ? p.send[first + (int)threadIdx.x] : 0;
  const int axis = axis_number(here && oriented(i), p.axes);
  struct halo_record *r = &record[threadIdx.x];
  if (here) {
    r->id = id[i];
    for (int k = 0; k < 3; k++)
      r->position[k] = position[3 * (int64_t)i + k];
    r->type = oriented.type[i] | (stress_is_lipid(lipid, env[i]) ? IN_LIPID : 0);
    r->axis = axis;
    if (axis >= 0) p.send_axis[axis] = i;
  }
  __syncthreads();
  const int32_t *from = (const int32_t *)record;
  int32_t *out = (int32_t *)(p.to + first);
  for (int w = (int)threadIdx.x; w < n_here * (int)(sizeof *r / sizeof *out); w += THREADS)
    out[w] = from[w];
  halo_ends(end);
}

void cuda_halo_build_pack(struct gpu *c, int peers, void *const *buffer, const struct halo_end &end)
{
  struct build_parcels all;
  int most = 0;
  memset(&all, 0, sizeof all);
  for (int k = 0; k < peers; k++) {
    const struct cuda_peer *p = &c->halo->peer[k];
    all.peer[k] = {p->n_send, p->send, &c->reports->device->axes[k], p->send_axis,
                   (struct halo_record *)buffer[k]};
    most = p->n_send > most ? p->n_send : most;
  }
  pack_build<<<parcels_blocks(most, peers), THREADS, 0, c->streams->side>>>(
      all, oriented_of(c), c->arrays->id, c->arrays->beads.build_position,
      c->arrays->beads.bonded_env, c->topology->lipid, end);
  CUDA_LAUNCHED("pack_build");
}

/* A HALO_BUILD message from a peer. */
struct build_arrival {
  int n, first, n_axis; /* beads; local index of the first; oriented ones */
  const struct halo_record *from;
  int *receive_axis;
};
struct build_arrivals {
  int most, end; /* beads of the largest; local index after the last */
  struct build_arrival peer[PEERS_MOST];
};

/* The bead arrays that records are unpacked to. */
struct halo_arrays {
  int64_t *id;
  int32_t *position, *type, *env; /* env: set to 0 for beads of lipids, else -1 */
  int types;
  int64_t n_total;
};

/* Reads the L2 cache, past L1: a peer may have stored the record while the kernel waited. */
DEVICE struct halo_record record_arrived(const struct halo_record *from)
{
  union {
    struct halo_record record;
    long long word[sizeof(struct halo_record) / sizeof(long long)];
  } r;
  static_assert(sizeof r == sizeof r.record, "a record is whole words");
#pragma unroll
  for (int k = 0; k < (int)(sizeof r / sizeof(long long)); k++)
    r.word[k] = __ldcg((const long long *)from + k);
  return r.record;
}

/* After a lost message the bytes are arbitrary. Ids and types out of range are replaced, so that no
   kernel indexes out of bounds; the host ends the program at its next check. */
DEVICE void record_unpack(const struct build_arrival &p, int64_t m, const struct halo_arrays &to)
{
  const struct halo_record r = record_arrived(p.from + m);
  const int64_t i = p.first + m;
  to.id[i] = r.id < 0 || r.id > to.n_total ? 0 : r.id;
  for (int k = 0; k < 3; k++)
    to.position[3 * i + k] = r.position[k];
  const int in_lipid = (r.type & IN_LIPID) != 0, of = r.type & ~IN_LIPID;
  to.type[i] = (unsigned)of < (unsigned)to.types ? of : 0;
  to.env[i] = in_lipid ? 0 : -1;
  if (r.axis >= 0 && r.axis < p.n_axis) p.receive_axis[r.axis] = (int)i;
}

/* until: what every block waits for first. */
static __global__ void unpack_build(const __grid_constant__ struct build_arrivals from,
                                    const __grid_constant__ struct halo_arrays to,
                                    const __grid_constant__ struct device_wait until)
{
  const struct build_arrival &p = from.peer[blockIdx.y];
  lines_await(until);
  for (int64_t m = thread_index(); m < p.n; m += (int64_t)gridDim.x * blockDim.x)
    record_unpack(p, m, to);
}

/* The messages of the peers, whose beads follow the present ones; bead arrays are grown. */
static struct build_arrivals arrivals_of(struct gpu *c, int peers, void *const *buffer,
                                         const struct halo_count *n)
{
  struct build_arrivals all;
  int end = c->base.n + c->base.n_halo;
  memset(&all, 0, sizeof all);
  for (int k = 0; k < peers; k++) {
    struct cuda_peer *p = peer_of(c, k);
    const int beads = (int)n[k].beads;
    cuda_received(c, k, beads);
    p->first = end;
    p->n_receive_axis = (int)n[k].oriented;
    end += beads;
    all.most = beads > all.most ? beads : all.most;
    ints_reserve(c, &p->receive_axis, p->n_receive_axis);
    all.peer[k] = {beads, p->first, p->n_receive_axis, (const struct halo_record *)buffer[k],
                   p->receive_axis};
  }
  all.end = end;
  cuda_reserve(c, end);
  return all;
}

/* In streams->main, which waits for streams->side first. */
void cuda_halo_build_unpack(struct gpu *c, int peers, void *const *buffer,
                            const struct halo_count *n, const struct device_wait &until)
{
  cuda_join(c);
  const int first = c->base.n + c->base.n_halo;
  const struct build_arrivals all = arrivals_of(c, peers, buffer, n);
  const struct halo_arrays to = {c->arrays->id,         c->arrays->beads.build_position,
                                 c->arrays->beads.type, c->arrays->beads.bonded_env,
                                 c->config.ff->n_types, c->config.n_total};
  unpack_build<<<arrivals_blocks(all.most, peers, until), THREADS, 0, c->streams->main>>>(all, to,
                                                                                          until);
  CUDA_LAUNCHED("unpack_build");
  c->base.n_halo = all.end - c->base.n;
  cuda_update_pair_records(c, first, all.end, c->streams->main);
}

int64_t cuda_halo_build_bytes(int64_t beads)
{
  return beads * (int64_t)sizeof(struct halo_record);
}
