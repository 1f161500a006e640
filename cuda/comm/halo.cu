/* Halo messages. HALO_BUILD: a halo_record for each bead. HALO_STEP: the positions of all beads,
   then, from a multiple of 16 bytes on, the axes of the oriented beads. Packing and
   unpacking run in the side stream, except the unpacking of a build, which runs in main. */
#include <string.h>

#include "cuda/comm/comm.h"
#include "cuda/runtime/device.cuh"
#include "cuda/step/step.h"

struct halo_record {
  int64_t id;
  int32_t position[3], old_position[3];
  int32_t type, axis; /* type: with HAS_TERMS if it has bonded terms; axis: the number of its axis
                         record in the message of a step, or -1 */
};
enum { HAS_TERMS = 1 << 30 };
static_assert((int)FF_TYPES_MOST < (int)HAS_TERMS, "types and this bit are apart");

/* 1 if a bead has an axis that is sent. A lost message leaves arbitrary types until the host
   checks, so they are compared with the number of types. */
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
  const struct is_oriented o = {c->config.ff->n_types, c->arrays.beads.type, c->coefficients.type};
  return o;
}

static void ints_reserve(struct gpu *c, int **p, int *room, int n)
{
  if (n <= *room) return;
  int64_t bytes = *room * (int64_t)sizeof **p, more = n + n / 8 + 64;
  cuda_grow(c, (void **)p, &bytes, more * (int64_t)sizeof **p, 0, "lists of halo beads");
  /* If a message is lost, entries stay unset: they must be valid indices. */
  CUDA(cudaMemsetAsync(*p, 0, (size_t)bytes, c->streams.main));
  *room = (int)more;
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
  struct gpu *c = (struct gpu *)b;
  const struct is_oriented oriented = oriented_of(c);
  const size_t bytes =
      sizeof c->reports.device->oriented + sizeof c->reports.device->axes; /* adjacent members */
  memset(count, 0, (size_t)d->n_peers * sizeof *count);
  if (b->n == 0 || d->n_peers == 0) return;
  CUDA(cudaMemsetAsync(c->reports.device->oriented, 0, bytes, c->streams.main));
  for (int k = 0; k < d->n_peers; k++) {
    struct cuda_peer *p = &c->halo.peer[k];
    const struct domain to = domain_with_peer(d, k);
    ints_reserve(c, &p->send, &p->send_room, b->n);
    cuda_select_near(c, &to, p->send, &c->reports.device->sent[k]);
    LAUNCH(boundary_flag, b->n, THREADS, c, &c->reports.device->sent[k], p->send, oriented,
           c->sorting.flag, &c->reports.device->oriented[k]);
  }
  cuda_report_read(c);
  for (int k = 0; k < d->n_peers; k++) {
    struct cuda_peer *p = &c->halo.peer[k];
    count[k].beads = p->n_send = c->reports.host->sent[k];
    count[k].oriented = p->n_send_axis = c->reports.host->oriented[k];
    ints_reserve(c, &p->send_axis, &p->send_axis_room, p->n_send_axis);
  }
}

/* Assigns consecutive numbers to the axis records of a message, in any order: the number of this
   thread's record, or -1 if wanted is 0. Every thread of the warp calls it. */
static __device__ __forceinline__ int axis_number(int wanted, int *count)
{
  const unsigned all = __ballot_sync(ALL_LANES, wanted), lane = threadIdx.x % 32;
  int first = 0;
  if (lane == 0 && all) first = atomicAdd(count, __popc(all));
  first = __shfl_sync(ALL_LANES, first, 0);
  return wanted ? first + __popc(all & ((1u << lane) - 1u)) : -1;
}

/* A block assembles its records in shared memory and stores them contiguously: the buffer may be
   memory of another GPU, for which whole cache lines are much faster. */
static __global__ void pack_build(int n, const int *send, struct is_oriented oriented,
                                  const int64_t *id, const int32_t *position,
                                  const int32_t *old_position, const int32_t *env,
                                  const int *term_start, int *axes, int *send_axis,
                                  struct halo_record *to)
{
  __shared__ struct halo_record record[THREADS];
  const int first = (int)(blockIdx.x * THREADS), n_here = n - first < THREADS ? n - first : THREADS;
  const int here = (int)threadIdx.x < n_here;
  const int i = here ? send[first + (int)threadIdx.x] : 0;
  const int axis = axis_number(here && oriented(i), axes);
  struct halo_record *r = &record[threadIdx.x];
  if (here) {
    r->id = id[i];
    for (int k = 0; k < 3; k++) {
      r->position[k] = position[3 * (int64_t)i + k];
      r->old_position[k] = old_position[3 * (int64_t)i + k];
    }
    const int slot = term_start ? env[i] : -1;
    const int has_terms = slot >= 0 && term_start[slot] < term_start[slot + 1];
    r->type = oriented.type[i] | (has_terms ? HAS_TERMS : 0);
    r->axis = axis;
    if (axis >= 0) send_axis[axis] = i;
  }
  __syncthreads();
  const int32_t *from = (const int32_t *)record;
  int32_t *out = (int32_t *)(to + first);
  for (int w = (int)threadIdx.x; w < n_here * (int)(sizeof *r / sizeof *out); w += THREADS)
    out[w] = from[w];
}

static void peer_pack_build(struct gpu *c, int k, void *buffer)
{
  const struct cuda_peer *p = &c->halo.peer[k];
  LAUNCH_ON(c->streams.side, pack_build, p->n_send, THREADS, p->n_send, p->send, oriented_of(c),
            c->arrays.id, c->arrays.beads.build_position, c->arrays.old_position,
            c->arrays.beads.bonded_env, c->bonded.term_start, &c->reports.device->axes[k],
            p->send_axis, (struct halo_record *)buffer);
}

/* A lost message leaves arbitrary bytes here. Ids and types out of range are replaced, so that no
   kernel indexes out of bounds; the host ends the program at its next check. */
static __global__ void unpack_build(int n, int first, int types, int64_t n_total, int axes,
                                    const struct halo_record *from, int64_t *id, int32_t *position,
                                    int32_t *old_position, int32_t *type, int32_t *env,
                                    int *receive_axis)
{
  int64_t m = thread_index(), i = first + m;
  if (m >= n) return;
  const struct halo_record r = from[m];
  id[i] = r.id < 0 || r.id > n_total ? 0 : r.id;
  for (int k = 0; k < 3; k++) {
    position[3 * i + k] = r.position[k];
    old_position[3 * i + k] = r.old_position[k];
  }
  const int has_terms = (r.type & HAS_TERMS) != 0, of = r.type & ~HAS_TERMS;
  type[i] = (unsigned)of < (unsigned)types ? of : 0;
  env[i] = has_terms ? 0 : -1;
  if (r.axis >= 0 && r.axis < axes) receive_axis[r.axis] = (int)i;
}

static void peer_unpack_build(struct gpu *c, int k, const void *buffer, struct halo_count n)
{
  struct backend *b = &c->base;
  struct cuda_peer *p = &c->halo.peer[k];
  int first = b->n + b->n_halo, count = (int)n.beads;
  p->first = first;
  p->n_receive = count;
  p->n_receive_axis = (int)n.oriented;
  if (k == 0) cuda_join(c);
  if (count == 0) return;
  cuda_reserve(c, (int64_t)first + count);
  ints_reserve(c, &p->receive_axis, &p->receive_axis_room, p->n_receive_axis);
  LAUNCH(unpack_build, count, THREADS, c, count, first, c->config.ff->n_types, c->config.n_total,
         p->n_receive_axis, (const struct halo_record *)buffer, c->arrays.id,
         c->arrays.beads.build_position, c->arrays.old_position, c->arrays.beads.type,
         c->arrays.beads.bonded_env, p->receive_axis);
  b->n_halo += count;
  cuda_update_pair_records(c, first, first + count);
}

static int64_t axes_offset(int n)
{
  return (12 * (int64_t)n + 15) / 16 * 16;
}

/* Words of 4 bytes of the three components of an axis; the fourth number of a record, the charge,
   never changes. */
static int axis_words(const struct gpu *c)
{
  return c->arrays.axis_bytes / 4 * 3 / 4;
}

int64_t cuda_halo_bytes(struct backend *b, enum halo_message message, struct halo_count n)
{
  const struct gpu *c = (struct gpu *)b;
  if (message == HALO_BUILD) return n.beads * (int64_t)sizeof(struct halo_record);
  const int64_t words = n.oriented * c->config.plan->n_axes * axis_words(c);
  return axes_offset((int)n.beads) + (4 * words + 15) / 16 * 16;
}

/* The components of the axes of oriented beads as a sequence of words of 4 bytes: those of the
   first axis of a bead, of its second axis, of the next bead. */
struct axis_stream {
  int32_t *array[PAIR_AXES_MOST];
  int record, words, all; /* words of a record, of an axis, of all axes of a bead */
};

static struct axis_stream axis_stream_of(const struct gpu *c)
{
  struct axis_stream a;
  for (int k = 0; k < PAIR_AXES_MOST; k++)
    a.array[k] = (int32_t *)c->arrays.axis[k];
  a.record = c->arrays.axis_bytes / 4;
  a.words = axis_words(c);
  a.all = c->config.plan->n_axes * a.words;
  return a;
}

/* Word w of bead i. */
static __device__ __forceinline__ int32_t *axis_word_at(const struct axis_stream &a, int64_t i,
                                                        int w)
{
  const int second = w >= a.words;
  return a.array[second] + i * a.record + (second ? w - a.words : w);
}

/* Stores consecutive 16-byte vectors of four words, since the buffer may be memory of another GPU
   or of the host, with zeros after the last word. */
static __global__ void pack_step(int n, const int *send, int n_axis, const int *send_axis,
                                 struct axis_stream axis, const struct bead_record *record,
                                 int4 *position, int4 *out)
{
  uint32_t first = (uint32_t)thread_index(), threads = gridDim.x * blockDim.x;
  int32_t x[4];
  if (4 * first < 3 * (uint32_t)n) {
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t word = 4 * first + k, m = word / 3;
      x[k] = m < (uint32_t)n ? record[send[m]].x[word - 3 * m] : 0;
    }
    position[first] = make_int4(x[0], x[1], x[2], x[3]);
  }
  const uint32_t each = (uint32_t)axis.all, all = (uint32_t)n_axis * each;
  for (uint32_t v = first; 4 * v < all; v += threads) {
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t word = 4 * v + k, m = word / each;
      x[k] = word < all ? *axis_word_at(axis, send_axis[m], (int)(word - m * each)) : 0;
    }
    out[v] = make_int4(x[0], x[1], x[2], x[3]);
  }
}

static void peer_pack_step(struct gpu *c, int k, void *buffer)
{
  const struct cuda_peer *p = &c->halo.peer[k];
  LAUNCH_ON(c->streams.side, pack_step, p->n_send, THREADS, p->n_send, p->send, p->n_send_axis,
            p->send_axis, axis_stream_of(c), c->arrays.record, (int4 *)buffer,
            (int4 *)((char *)buffer + axes_offset(p->n_send)));
}

static __global__ void unpack_step(int n, int first, int n_axis, const int *receive_axis,
                                   struct axis_stream axis, const int32_t *position,
                                   const int32_t *in, struct bead_record *record)
{
  int64_t m = thread_index();
  if (m < n)
    for (int k = 0; k < 3; k++)
      record[first + m].x[k] = position[3 * m + k];
  if (m < n_axis)
    for (int w = 0; w < axis.all; w++)
      *axis_word_at(axis, receive_axis[m], w) = in[m * axis.all + w];
}

static void peer_unpack_step(struct gpu *c, int k, const void *buffer)
{
  const struct cuda_peer *p = &c->halo.peer[k];
  LAUNCH_ON(c->streams.side, unpack_step, p->n_receive, THREADS, p->n_receive, p->first,
            p->n_receive_axis, p->receive_axis, axis_stream_of(c), (const int32_t *)buffer,
            (const int32_t *)((const char *)buffer + axes_offset(p->n_receive)), c->arrays.record);
  c->streams.side_busy = 1;
}

void cuda_halo_pack(struct backend *b, enum halo_message message, int k, void *buffer)
{
  struct gpu *c = (struct gpu *)b;
  if (k == 0) cuda_fork(c);
  if (message == HALO_BUILD)
    peer_pack_build(c, k, buffer);
  else
    peer_pack_step(c, k, buffer);
}

void cuda_halo_unpack(struct backend *b, enum halo_message message, int k, const void *buffer,
                      struct halo_count n)
{
  if (message == HALO_BUILD)
    peer_unpack_build((struct gpu *)b, k, buffer, n);
  else
    peer_unpack_step((struct gpu *)b, k, buffer);
}
