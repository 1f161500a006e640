/* Halo messages of a step (HALO_STEP): the positions of all beads, padded to 16 bytes, then the
   axes of the oriented beads. Packed and unpacked in streams->side. Messages of a build:
   halo_build.cu. */
#include <string.h>

#include "cuda/comm/comm.h"
#include "cuda/comm/halo.cuh"
#include "cuda/lists/sort.h"

static int64_t axes_offset(int n)
{
  return (12 * (int64_t)n + 15) / 16 * 16;
}

/* Size of an axis in a message, in 4-byte words: its three components. The fourth number of an axis
   record, the charge, never changes and is not sent. */
static int axis_words(const struct gpu *c)
{
  return c->arrays->axis_bytes / 4 * 3 / 4;
}

int64_t cuda_halo_bytes(struct backend *b, enum halo_message message, struct halo_count n)
{
  const struct gpu *c = gpu_of(b);
  if (message == HALO_BUILD) return cuda_halo_build_bytes(n.beads);
  const int64_t words = n.oriented * c->config.plan->n_axes * axis_words(c);
  return axes_offset((int)n.beads) + (4 * words + 15) / 16 * 16;
}

/* The axes of oriented beads as a sequence of 4-byte words: of each bead its first axis and, if
   there is one, its second. */
struct axis_stream {
  int32_t *array[PAIR_AXES_MOST];
  int record, words, all; /* 4-byte words of a record; of an axis sent; of all axes of a bead */
};

static struct axis_stream axis_stream_of(const struct gpu *c)
{
  struct axis_stream a;
  for (int k = 0; k < PAIR_AXES_MOST; k++)
    a.array[k] = (int32_t *)c->arrays->axis[k];
  a.record = c->arrays->axis_bytes / 4;
  a.words = axis_words(c);
  a.all = c->config.plan->n_axes * a.words;
  return a;
}

/* Word w of the axes of bead i (local index). */
DEVICE int32_t *axis_word_at(const struct axis_stream &a, int64_t i, int w)
{
  const int second = w >= a.words;
  return a.array[second] + i * a.record + (second ? w - a.words : w);
}

/* A HALO_STEP message to or from a peer. */
struct step_parcel {
  int n, n_axis, first;        /* beads; oriented ones; if received, local index of the first */
  const int *bead, *axis_bead; /* local indices: [n] of the beads sent, NULL if received; [n_axis]
                                  of oriented ones */
  int32_t *position, *axes;    /* in the message buffer, at multiples of 16 bytes */
};
struct step_parcels {
  int most; /* the largest n of a peer */
  struct step_parcel peer[PEERS_MOST];
};

static struct step_parcel parcel_of(const struct gpu *c, int k, int sent, void *buffer)
{
  const struct cuda_peer *p = &c->halo->peer[k];
  struct step_parcel out;
  out.n = sent ? p->n_send : c->sorting->received[k];
  out.n_axis = sent ? p->n_send_axis : p->n_receive_axis;
  out.first = sent ? 0 : p->first;
  out.bead = sent ? p->send : NULL;
  out.axis_bead = sent ? p->send_axis : p->receive_axis;
  out.position = (int32_t *)buffer;
  out.axes = (int32_t *)((char *)buffer + axes_offset(out.n));
  return out;
}

static struct step_parcels parcels_of(const struct gpu *c, int peers, int sent, void *const *buffer)
{
  struct step_parcels all;
  memset(&all, 0, sizeof all);
  for (int k = 0; k < peers; k++) {
    all.peer[k] = parcel_of(c, k, sent, buffer[k]);
    all.most = all.peer[k].n > all.most ? all.peer[k].n : all.most;
  }
  return all;
}

/* Packs a message with coalesced 16-byte stores, since the buffer may be in the memory of another
   GPU or of the host. The last vector is filled up with zeros. */
DEVICE void parcel_pack(const struct step_parcel &p, const struct axis_stream &axis,
                        const struct bead_record *record)
{
  const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const uint32_t words = 3 * (uint32_t)p.n, each = (uint32_t)axis.all;
  const uint32_t axis_words = (uint32_t)p.n_axis * each;
  int32_t x[4];
  for (uint32_t v = first; 4 * v < words; v += threads) {
    for (uint32_t k = 0; k < 4; k++) {
      const uint32_t word = 4 * v + k, m = word / 3;
      x[k] = word < words ? record[p.bead[m]].x[word - 3 * m] : 0;
    }
    ((int4 *)p.position)[v] = make_int4(x[0], x[1], x[2], x[3]);
  }
  for (uint32_t v = first; 4 * v < axis_words; v += threads) {
    for (uint32_t k = 0; k < 4; k++) {
      const uint32_t word = 4 * v + k, m = word / each;
      x[k] = word < axis_words ? *axis_word_at(axis, p.axis_bead[m], (int)(word - m * each)) : 0;
    }
    ((int4 *)p.axes)[v] = make_int4(x[0], x[1], x[2], x[3]);
  }
}

static __global__ void pack_step(const __grid_constant__ struct step_parcels to,
                                 struct axis_stream axis, const struct bead_record *record,
                                 const __grid_constant__ struct halo_end end)
{
  parcel_pack(to.peer[blockIdx.y], axis, record);
  halo_ends(end);
}

/* __ldcg reads the L2 cache, past L1: peers store the words while the kernel waits. */
DEVICE void parcel_unpack(const struct step_parcel &p, const struct axis_stream &axis,
                          struct bead_record *record)
{
  const int threads = (int)(gridDim.x * blockDim.x);
  for (int m = (int)thread_index(); m < p.n; m += threads) {
    for (int k = 0; k < 3; k++)
      record[p.first + m].x[k] = __ldcg(p.position + 3 * (int64_t)m + k);
    for (int w = 0; m < p.n_axis && w < axis.all; w++)
      *axis_word_at(axis, p.axis_bead[m], w) = __ldcg(p.axes + (int64_t)m * axis.all + w);
  }
}

static __global__ void unpack_step(const __grid_constant__ struct step_parcels from,
                                   struct axis_stream axis, struct bead_record *record,
                                   const __grid_constant__ struct device_wait until)
{
  lines_await(until);
  parcel_unpack(from.peer[blockIdx.y], axis, record);
}

void cuda_halo_pack(struct backend *b, enum halo_message message, int peers, void *const *buffer,
                    const struct device_signal *then)
{
  struct gpu *c = gpu_of(b);
  const struct halo_end end = {c->reports->device->ended, *then};
  cuda_fork(c);
  if (message == HALO_BUILD) {
    cuda_halo_build_pack(c, peers, buffer, end);
    return;
  }
  const struct step_parcels all = parcels_of(c, peers, 1, buffer);
  pack_step<<<parcels_blocks(all.most, peers), THREADS, 0, c->streams->side>>>(
      all, axis_stream_of(c), c->arrays->record, end);
  CUDA_LAUNCHED("pack_step");
}

void cuda_halo_unpack(struct backend *b, enum halo_message message, int peers, void *const *buffer,
                      const struct halo_count *n, const struct device_wait *until)
{
  struct gpu *c = gpu_of(b);
  if (message == HALO_BUILD) {
    cuda_halo_build_unpack(c, peers, buffer, n, *until);
    return;
  }
  const struct step_parcels all = parcels_of(c, peers, 0, buffer);
  unpack_step<<<arrivals_blocks(all.most, peers, *until), THREADS, 0, c->streams->side>>>(
      all, axis_stream_of(c), c->arrays->record, *until);
  CUDA_LAUNCHED("unpack_step");
  cuda_halo_note(c);
}
