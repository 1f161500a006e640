/* Copies of beads for the ranks that share a face. A message of a step: every position, then, from
   a multiple of 16 bytes, the axis records of the oriented beads. */
#include "device_cuda.cuh"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

struct halo_record {
  int64_t id;
  int32_t position[3], old_position[3];
  int32_t type, pad;
};

/* The beads near a slab, all or the oriented ones. */
struct near_slab {
  const int32_t *position, *type; /* type NULL: all */
  const struct cuda_type *types;
  int axis;
  uint32_t low, high;
  uint64_t width;
  __device__ bool operator()(int i) const
  {
    uint32_t x = (uint32_t)position[3 * (int64_t)i + axis], below = low - x, above = x - high;
    return (below <= width || above <= width) && (!type || types[type[i]].oriented);
  }
};

struct is_oriented {
  const int32_t *type;
  const struct cuda_type *types;
  __device__ bool operator()(int i) const { return types[type[i]].oriented; }
};

template <typename Wanted>
static void select(struct gpu *c, int first, int n, Wanted wanted, int *out, int *count)
{
  size_t bytes = 0;
  thrust::counting_iterator<int> beads(first);
  CUDA(cub::DeviceSelect::If(NULL, bytes, beads, out, count, n, wanted, c->stream));
  void *scratch = cuda_scratch(c, (int64_t)bytes);
  CUDA(cub::DeviceSelect::If(scratch, bytes, beads, out, count, n, wanted, c->stream));
}

static void ints_reserve(struct gpu *c, int **p, int *room, int want)
{
  if (want <= *room) return;
  int64_t bytes = *room * (int64_t)sizeof **p, more = want + want / 8 + 64;
  cuda_grow(c, (void **)p, &bytes, more * (int64_t)sizeof **p, 0, "lists of halo beads");
  *room = (int)more;
}

static __global__ void flags_set(int n, const int *send, int *flag)
{
  int64_t m = thread_index();
  if (m < n) flag[send[m]] = 1;
}

int64_t cuda_halo_select(struct backend *b, int k, int axis, uint64_t low, uint64_t high,
                         uint64_t width)
{
  struct gpu *c = (struct gpu *)b;
  struct cuda_peer *p = &c->peer[k];
  struct near_slab wanted = {c->beads.build_position, NULL,           c->type, axis,
                             (uint32_t)low,           (uint32_t)high, width};
  p->n_send = p->n_send_axis = 0;
  if (b->n == 0) return 0;
  int room = p->room;
  ints_reserve(c, &p->send, &room, b->n);
  ints_reserve(c, &p->send_axis, &p->room, b->n);
  select(c, 0, b->n, wanted, p->send, &c->report->selected[0]);
  wanted.type = c->beads.type;
  select(c, 0, b->n, wanted, p->send_axis, &c->report->selected[1]);
  cuda_look(c);
  p->n_send = c->seen->selected[0];
  p->n_send_axis = c->seen->selected[1];
  LAUNCH(flags_set, p->n_send, THREADS, c, p->n_send, p->send, c->flag);
  return p->n_send;
}

int cuda_halo_record(struct backend *b)
{
  (void)b;
  return (int)sizeof(struct halo_record);
}

static __global__ void pack_build(int n, const int *send, const int64_t *id,
                                  const int32_t *position, const int32_t *old_position,
                                  const int32_t *type, struct halo_record *to)
{
  int64_t m = thread_index();
  if (m >= n) return;
  int64_t i = send[m];
  struct halo_record r;
  r.id = id[i];
  for (int k = 0; k < 3; k++) {
    r.position[k] = position[3 * i + k];
    r.old_position[k] = old_position[3 * i + k];
  }
  r.type = type[i];
  r.pad = 0;
  to[m] = r;
}

void cuda_halo_pack_build(struct backend *b, int k, void *buffer)
{
  struct gpu *c = (struct gpu *)b;
  LAUNCH(pack_build, c->peer[k].n_send, THREADS, c, c->peer[k].n_send, c->peer[k].send, c->id,
         c->beads.build_position, c->old_position, c->beads.type, (struct halo_record *)buffer);
  cuda_fork(c);
}

static __global__ void unpack_build(int n, int first, const struct halo_record *from, int64_t *id,
                                    int32_t *position, int32_t *old_position, int32_t *type)
{
  int64_t m = thread_index(), i = first + m;
  if (m >= n) return;
  struct halo_record r = from[m];
  id[i] = r.id;
  for (int k = 0; k < 3; k++) {
    position[3 * i + k] = r.position[k];
    old_position[3 * i + k] = r.old_position[k];
  }
  type[i] = r.type;
}

void cuda_halo_unpack_build(struct backend *b, int k, const void *buffer, int64_t n)
{
  struct gpu *c = (struct gpu *)b;
  struct cuda_peer *p = &c->peer[k];
  int first = b->n + b->n_halo, count = (int)n;
  p->first = first;
  p->n_receive = count;
  p->n_receive_axis = 0;
  if (n == 0) return;
  cuda_reserve(c, first + n);
  LAUNCH(unpack_build, n, THREADS, c, count, first, (const struct halo_record *)buffer, c->id,
         c->beads.build_position, c->old_position, c->beads.type);
  b->n_halo += count;
  cuda_derive(c, first, first + count);
  ints_reserve(c, &p->receive_axis, &p->receive_room, count);
  const struct is_oriented wanted = {c->beads.type, c->type};
  select(c, first, count, wanted, p->receive_axis, &c->report->selected[0]);
  cuda_look(c);
  p->n_receive_axis = c->seen->selected[0];
}

static int64_t axes_offset(int n)
{
  return (12 * (int64_t)n + 15) / 16 * 16;
}

int64_t cuda_halo_bytes(struct backend *b, int k, int receive)
{
  struct gpu *c = (struct gpu *)b;
  const struct cuda_peer *p = &c->peer[k];
  int n = receive ? p->n_receive : p->n_send;
  int oriented = receive ? p->n_receive_axis : p->n_send_axis;
  return axes_offset(n) + (int64_t)oriented * c->axis_bytes;
}

/* Whole 16-byte vectors one after the other, for the buffer may be memory of another GPU: four
   coordinates each, zeros behind the last bead. vectors: of an axis record. */
static __global__ void pack_step(int n, const int *send, int n_axis, const int *send_axis,
                                 int vectors, const struct bead_record *record, const int4 *axis,
                                 int4 *position, int4 *out)
{
  uint32_t first = (uint32_t)thread_index(), threads = gridDim.x * blockDim.x;
  if (4 * first < 3 * (uint32_t)n) {
    int32_t x[4];
    for (uint32_t k = 0; k < 4; k++) {
      uint32_t word = 4 * first + k, m = word / 3;
      x[k] = m < (uint32_t)n ? record[send[m]].x[word - 3 * m] : 0;
    }
    position[first] = make_int4(x[0], x[1], x[2], x[3]);
  }
  uint32_t all = (uint32_t)(n_axis * vectors), each = (uint32_t)vectors;
  for (uint32_t m = first; m < all; m += threads)
    out[m] = axis[(int64_t)send_axis[m / each] * vectors + m % each];
}

void cuda_halo_pack(struct backend *b, int k, void *buffer)
{
  struct gpu *c = (struct gpu *)b;
  const struct cuda_peer *p = &c->peer[k];
  if (k == 0) cuda_fork(c);
  LAUNCH_ON(c->side, pack_step, p->n_send, THREADS, p->n_send, p->send, p->n_send_axis,
            p->send_axis, c->axis_bytes / 16, c->record, (const int4 *)c->axis, (int4 *)buffer,
            (int4 *)((char *)buffer + axes_offset(p->n_send)));
}

static __global__ void unpack_step(int n, int first, int n_axis, const int *receive_axis,
                                   int vectors, const int32_t *position, const int4 *in,
                                   struct bead_record *record, int4 *axis)
{
  int64_t m = thread_index();
  if (m < n)
    for (int k = 0; k < 3; k++)
      record[first + m].x[k] = position[3 * m + k];
  if (m < n_axis)
    for (int v = 0; v < vectors; v++)
      axis[(int64_t)receive_axis[m] * vectors + v] = in[m * vectors + v];
}

void cuda_halo_unpack(struct backend *b, int k, const void *buffer)
{
  struct gpu *c = (struct gpu *)b;
  const struct cuda_peer *p = &c->peer[k];
  LAUNCH_ON(c->side, unpack_step, p->n_receive, THREADS, p->n_receive, p->first, p->n_receive_axis,
            p->receive_axis, c->axis_bytes / 16, (const int32_t *)buffer,
            (const int4 *)((const char *)buffer + axes_offset(p->n_receive)), c->record,
            (int4 *)c->axis);
  cuda_join(c);
}
